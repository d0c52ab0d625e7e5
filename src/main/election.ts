/** How the `up` of one database find out which of them leads. */
import { hostname } from 'node:os'
import type { UpConfig } from '../config.ts'
import { Election } from '../control-plane/server/election.ts'
import type { ControlPlaneStore } from '../core/deployment/control-plane-store.ts'
import type { Log } from '../core/log.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { findInstanceId } from '../installation/data-folder.ts'
import type { Leading } from './leading.ts'

export type Candidate = Pick<Election, 'isLeading' | 'leaderUrl' | 'start' | 'announce' | 'stop'>

export interface CandidateParts {
  store: ControlPlaneStore
  gateway: Pick<Gateway, 'takeOver' | 'yield'>
  leading: Leading
  log: Log
}

/** `url`: where this one listens, empty while it does not. Its data folder is locked already. */
export function createCandidate(
  config: UpConfig,
  parts: CandidateParts,
  url: () => string,
): Candidate {
  const { store, gateway, leading, log } = parts
  if (!config.databaseUrl) return alone(leading, store)
  return new Election({
    store: store.leadership,
    holder: findInstanceId(config.dataDir),
    url: () => config.internalUrl ?? reachable(url()),
    async onElected(term) {
      await leading.begin(store.under(term))
      gateway.takeOver()
    },
    onEnding: () => leading.stopReconciling(),
    async onLost() {
      gateway.yield()
      await leading.end()
    },
    log,
  })
}

/** The database lies in the data folder, whose lock nobody else has. */
function alone(leading: Leading, store: ControlPlaneStore): Candidate {
  return {
    isLeading: true,
    leaderUrl: undefined,
    start: () => leading.begin(store),
    announce: async () => {},
    stop: () => leading.stopReconciling(),
  }
}

/** Who listens on every address is reached by the name of its machine. */
function reachable(url: string): string {
  return url.replace(/^http:\/\/(0\.0\.0\.0|\[::\])(?=:)/, `http://${hostname()}`)
}
