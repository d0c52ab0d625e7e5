/** How the gateway admits a deployment's requests, and how it should. */
import { isDeepStrictEqual } from 'node:util'
import type { Entrance } from '../deployment/target.ts'

export interface Entrances {
  wanted: Entrance
  there: Entrance
}

export function isEnteredAsWanted({ wanted, there }: Entrances): boolean {
  return isDeepStrictEqual(wanted, there)
}
