/** The parts of a run that a client may ask for, by the names of LangGraph Server's `stream_mode`. */
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
 * The parts of a thread that a client may ask for: everything that its runs show, and their ends; only
 * the beginnings and ends of its runs; or the new state after each update through the API.
 */
export const THREAD_STREAM_MODES = ['run_modes', 'lifecycle', 'state_update'] as const

export type ThreadStreamMode = (typeof THREAD_STREAM_MODES)[number]
