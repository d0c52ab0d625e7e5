/** What of a run a client may ask to see (facts: run creation, `stream_mode`). */
export const STREAM_MODES = ['values', 'updates', 'messages', 'messages-tuple', 'custom'] as const

export type StreamMode = (typeof STREAM_MODES)[number]
