/** How the control planes of one database find out which of them leads, and what follows from it. */
import { hostname } from 'node:os'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Log } from '../../core/log.ts'
import { Election } from './election.ts'
import type { Leading } from './leading.ts'

export interface Candidate {
  /** Whether this one leads. */
  readonly isLeading: boolean
  /** Where the leader is reached, when it is another one and has told. */
  readonly leaderUrl: string | undefined
  /** Settles when it is known who leads; where it is this one, it has begun to. */
  start(gateway: LeadingGateway): Promise<void>
  /** Tells the others that this one listens at the URL. */
  announce(url: string): Promise<void>
  /** Leads no more: another may begin when it has settled. */
  stop(): Promise<void>
}

/** The gateway in front, which passes requests on while another leads. */
interface LeadingGateway {
  /** This one leads now: cuts what was passed on. */
  takeOver(): void
  /** Another one leads now: cuts what is open. */
  yield(): void
}

export interface CandidateParts {
  store: ControlPlaneStore
  leading: Leading
  log: Log
}

/** Of a database that several may share. `holder`: see `ElectionOptions`; `internalUrl`: where others reach this one. */
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
          await leading.begin(store.under(term))
          gateway.takeOver()
        },
        onEnding: () => leading.stopReconciling(),
        async onLost() {
          gateway.yield()
          await leading.end()
        },
      }),
    announce: (url) => election.announce(internalUrl ?? reachable(url)),
    stop: () => election.stop(),
  }
}

/** Of a database in the data folder, whose lock nobody else has. */
export function createSoleCandidate({ store, leading }: CandidateParts): Candidate {
  return {
    isLeading: true,
    leaderUrl: undefined,
    start: () => leading.begin(store),
    announce: async () => {},
    stop: () => leading.stopReconciling(),
  }
}

/** A server that listens on every address is reached by the name of its machine. */
function reachable(url: string): string {
  return url.replace(/^http:\/\/(0\.0\.0\.0|\[::\])(?=:)/, `http://${hostname()}`)
}
