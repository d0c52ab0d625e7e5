/**
 * What one server of several does. `all`: answers requests and executes runs. `api`: it answers requests and leaves all
 * runs to others. `worker`: it executes runs, and answers only requests about itself.
 */
export const SERVER_ROLES = ['all', 'api', 'worker'] as const
export type ServerRole = (typeof SERVER_ROLES)[number]
