/** What of a run a client may ask to see (facts: run creation, `stream_mode`). */
export const STREAM_MODES = [
  'values',
  'updates',
  'messages',
  'messages-tuple',
  'events',
  'debug',
  'tasks',
  'checkpoints',
  'custom',
  'tools',
  'lifecycle',
] as const

export type StreamMode = (typeof STREAM_MODES)[number]

/**
 * What of a thread a client may ask to see: all that its runs show and that each is done, only that
 * they began and are done, or what its state became through the API.
 */
export const THREAD_STREAM_MODES = ['run_modes', 'lifecycle', 'state_update'] as const

export type ThreadStreamMode = (typeof THREAD_STREAM_MODES)[number]
