/** How the control planes of one database find their leader, and what each does then. */
import { hostname } from 'node:os'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Log } from '../../core/log.ts'
import { Election } from './election.ts'
import type { Leading } from './leading.ts'

export interface Candidate {
  /** Whether this one leads. */
  readonly isLeading: boolean
  /** The URL of the leader, if it is another control plane and has announced one. */
  readonly leaderUrl: string | undefined
  /** Settles when the leader is known; if it is this control plane, it has begun to lead. */
  start(gateway: LeadingGateway): Promise<void>
  /** Announces this control plane's URL to the others. */
  announce(url: string): Promise<void>
  /** Stops leading: another control plane may begin when it has settled. */
  stop(): Promise<void>
}

/** The gateway in front, which passes requests on while another leads. */
interface LeadingGateway {
  /** This control plane leads now: cuts requests that were passed on. */
  takeOver(): void
  /** Another control plane leads now: cuts open requests. */
  yield(): void
}

export interface CandidateParts {
  store: ControlPlaneStore
  leading: Leading
  log: Log
}

/** For a database that several may share. `holder`: see `ElectionOptions`; `internalUrl`: this one's URL for others. */
export function createElectedCandidate(
  { store, leading, log }: CandidateParts,
  { holder, internalUrl }: { holder: string; internalUrl: string | undefined },
): Candidate {
  const election = new Election({ store: store.leadership, holder, log })
  return {
    get isLeading() {
      return election.isLeading
    },
    get leaderUrl() {
      return election.leaderUrl
    },
    start: (gateway) =>
      election.start({
        async onElected(term) {
          await leading.start(store.under(term))
          gateway.takeOver()
        },
        onEnding: () => leading.stopReconciling(),
        async onLost() {
          gateway.yield()
          await leading.stop()
        },
      }),
    announce: (url) => election.announce(internalUrl ?? reachable(url)),
    stop: () => election.stop(),
  }
}

/** For a database in the data folder, whose lock this process holds. */
export function createSoleCandidate({ store, leading }: CandidateParts): Candidate {
  return {
    isLeading: true,
    leaderUrl: undefined,
    start: () => leading.start(store),
    announce: async () => {},
    stop: () => leading.stopReconciling(),
  }
}

/** A server that listens on every address is reached by the name of its machine. */
function reachable(url: string): string {
  return url.replace(/^http:\/\/(0\.0\.0\.0|\[::\])(?=:)/, `http://${hostname()}`)
}
