/**
 * What a listener's report means for a revision that the control plane has it run. The control plane takes a report,
 * asks here, does the one step that is named, and asks again until there is none.
 *
 * ```
 * ordered ◀──no longer reported── confirmed: its reported states are followed
 *   ├──reported as it was ordered──▶ confirmed
 *   └──reported as an earlier control plane has ordered it──▶ adopted, which is confirmed: it goes on as it is
 *
 * found: it was never ordered here ──▶ adopted ──no longer reported──▶ forgotten
 * stopping, from every state ──not reported by a listener that has the order──▶ ended
 * ```
 */
import type { ReportedRevision, ScaleOrder } from '../core/deployment/listener-protocol.ts'
import type { Endpoint, Replica, RuntimeState } from '../core/deployment/runtime.ts'

/** What the control plane knows of the revision. */
export interface RemoteState {
  /** What this control plane has ordered to start; absent: the listener ran the revision already. */
  start?: { isStandby: boolean }
  /** Names the start that it follows: reports of others are not about it. */
  incarnation: string
  /** Whether the listener may have run it since before this control plane led. */
  mayAdopt: boolean
  /** Whether the listener has reported this incarnation. */
  isConfirmed: boolean
  state: RuntimeState
  replicas: readonly Replica[]
  /** The latest state that was followed, and the process of the listener that reported it. */
  heard: { session: string; number: number }
  /** The report that was followed last. */
  followed?: ReportedRevision
  scale?: ScaleOrder
  /** The addresses of retired agent servers that the listener may still report as endpoints. */
  retiring: readonly string[]
  /** `since`: the first version of the orders that has it. */
  stop?: { graceMs: number; since: number; hasEnded: boolean }
}

/** What came of the revision. `absent`: the listener, at this version of its orders, does not report it. */
type Heard =
  | { kind: 'report'; reported: ReportedRevision; session: string }
  | { kind: 'absent'; version: number }

type RemoteStep =
  | { kind: 'confirm' }
  /** `activates`: the earlier control plane may have ended before it activated the revision. */
  | { kind: 'adopt'; incarnation: string; activates: boolean }
  /** Takes the report and these states of it, the latest last. */
  | { kind: 'follow'; reported: ReportedRevision; session: string; states: RuntimeState[] }
  /** It has to be reported again. */
  | { kind: 'unconfirm' }
  /** There is no such revision any more. */
  | { kind: 'forget' }
  /** The stop has ended. */
  | { kind: 'end' }

/** Names the one next step; `undefined`: there is none. */
export function nextRemoteStep(known: RemoteState, heard: Heard): RemoteStep | undefined {
  if (heard.kind === 'absent') return stepForAbsence(known, heard.version)
  const { reported, session } = heard
  if (known.stop || reported === known.followed) return undefined
  const { kind } = reported.states.at(-1)?.state ?? { kind: 'absent' }
  // It is about to be started there.
  if (known.start && kind === 'absent') return undefined
  const isThis = reported.incarnation === known.incarnation
  if (isThis && !known.isConfirmed) return { kind: 'confirm' }
  if (isThis) return follow(known, reported, session)
  // A revision that failed before is to be started again.
  if (known.start && kind === 'failed') return undefined
  if (reported.incarnation === null && known.isConfirmed) return follow(known, reported, session)
  if (!known.mayAdopt) return undefined
  const incarnation = reported.incarnation ?? known.incarnation
  return { kind: 'adopt', incarnation, activates: known.start?.isStandby === false }
}

function stepForAbsence({ stop, start, isConfirmed }: RemoteState, version: number) {
  if (stop) return version >= stop.since && !stop.hasEnded ? ({ kind: 'end' } as const) : undefined
  if (!start) return { kind: 'forget' } as const
  return isConfirmed ? ({ kind: 'unconfirm' } as const) : undefined
}

/** Each process of the listener numbers its states anew. */
function follow(
  { heard }: RemoteState,
  reported: ReportedRevision,
  session: string,
): RemoteStep | undefined {
  const last = heard.session === session ? heard.number : 0
  const states = reported.states.filter(({ number }) => number > last).map(({ state }) => state)
  return { kind: 'follow', reported, session, states }
}

/** Takes a state that the listener has said: agent servers that are retired are no endpoints any more. */
export function afterState(known: RemoteState, said: RuntimeState): RemoteState {
  const endpoints = endpointsOf(said)
  const retiring = known.retiring.filter((url) => endpoints.some((one) => one.url === url))
  const [first, ...others] = endpoints.filter(({ url }) => !retiring.includes(url))
  const state: RuntimeState = first ? { kind: 'healthy', endpoints: [first, ...others] } : said
  return { ...known, retiring, state }
}

export function endpointsOf(state: RuntimeState): readonly Endpoint[] {
  return state.kind === 'healthy' ? state.endpoints : []
}
