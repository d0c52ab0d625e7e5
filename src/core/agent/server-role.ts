/**
 * What one server of a fleet does. `all`: it answers and executes runs; `api`: it answers only, and
 * leaves all runs to others; `worker`: it executes runs, and tells of itself only.
 */
export const SERVER_ROLES = ['all', 'api', 'worker'] as const
export type ServerRole = (typeof SERVER_ROLES)[number]
