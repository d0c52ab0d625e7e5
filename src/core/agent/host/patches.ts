/**
 * What Runyard replaces or adds in the process of a project, outside of its own code; docs/patches.md says of each what
 * it does and why. `RUNYARD_PATCHES_OFF` leaves some of them out.
 */
export const PATCHES = [
  'batched-store',
  'loopback',
  'node-work',
  'process-ends',
  'promise-race',
  'random-values',
  'sdk-logger',
  'serializer',
] as const

export type Patch = (typeof PATCHES)[number]
