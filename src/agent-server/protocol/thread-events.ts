/** A thread's events for one subscriber. */
import type { Caller, MetadataFilter } from '../../core/agent/authorization.ts'
import type { ThreadEvent } from '../../core/agent/event.ts'
import {
  type Attribution,
  type ProtocolFilter,
  type ProtocolPlace,
  protocolPlaceOf,
} from '../../core/agent/protocol.ts'
import { AppError } from '../../core/errors.ts'
import { type ProtocolEvent, placeOf, toProtocolEvent } from '../../stream/protocol-event.ts'
import { placeFor } from '../../stream/protocol-filter.ts'
import { frame } from '../../stream/response/sse.ts'
import type { Parts } from '../agent-server-parts.ts'
import { authorizeOnThread, requireThread } from '../threads/threads.ts'

/** A caller's access to a thread, which need not exist yet. */
export interface Admission {
  thread_id: string
  filter: MetadataFilter | undefined
  /** The thread did not exist at admission, so the caller's access is not checked yet. */
  isOpen: boolean
  /** The attribution of the official server for the project's language, unless the subscription implies one. */
  attribution: Attribution
}

/** Throws `not_found` for an existing thread that the caller may not see. */
export async function admit(
  parts: Pick<Parts, 'store' | 'authorize' | 'host'>,
  caller: Caller,
  thread_id: string,
): Promise<Admission> {
  const filter = await authorizeOnThread(parts, caller, 'read', thread_id)
  const isThere = (await parts.store.threads.get(thread_id)) !== undefined
  if (isThere) await requireThread(parts.store.threads, thread_id, filter)
  const attribution = parts.host.runtimes[0]?.language === 'python' ? 'graph' : 'node'
  return { thread_id, filter, isOpen: !isThere, attribution }
}

/**
 * Throws `gone` if events after `since` have expired. 0 requests all available events, and is never
 * refused.
 */
export async function requireKept(
  { store }: Pick<Parts, 'store'>,
  thread_id: string,
  since: number,
): Promise<void> {
  if (since === 0) return
  const expired = await store.events.expiredSeq(thread_id)
  if (since >= expired) return
  throw new AppError(
    'gone',
    `The events of thread ${thread_id} up to seq ${expired} have expired: what came after ${since} is not all there. Read the state, and subscribe since ${expired} or without since.`,
  )
}

/** Checks an open admission when the thread exists. Throws `not_found` if the caller may not see the thread. */
export async function confirm(
  { store }: Pick<Parts, 'store'>,
  admission: Admission,
): Promise<void> {
  if (!admission.isOpen) return
  await requireThread(store.threads, admission.thread_id, admission.filter)
  admission.isOpen = false
}

/** The last message to a client whose events could not be read. The log has the reason. Source: the official server. */
export const READ_FAILED = JSON.stringify({
  type: 'error',
  id: null,
  error: 'unknown_error',
  message: 'Thread event stream failed.',
})

/** Whether reading the events failed for a reason that the client does not learn in another way. */
export function isReadFailure(error: unknown): boolean {
  return !(error instanceof AppError) || error.code === 'internal'
}

/** Server-sent events after `since`, until the thread is removed or its events cannot be read. */
export async function* protocolFrames(
  parts: Pick<Parts, 'store' | 'events' | 'log'>,
  admission: Admission,
  { filter, since }: { filter: ProtocolFilter; since: number },
  signal: AbortSignal,
): AsyncIterable<string> {
  const { thread_id, attribution } = admission
  const from = { after: since, isAwaited: true, signal }
  try {
    for await (const page of parts.events.followThreadPages(thread_id, from)) {
      await confirm(parts, admission)
      const shown = shownEvents(page, [filter], attribution)
      const frames = shown.map(({ method, text, event_id }) =>
        frame({ event: method, data: text, id: event_id }),
      )
      if (frames.length > 0) yield frames.join('')
    }
  } catch (error) {
    if (signal.aborted || !isReadFailure(error)) throw error
    parts.log.error({ thread_id, err: error }, 'could not read the events of a thread')
    yield frame({ event: 'error', data: READ_FAILED })
  }
}

/** The events of the page that a filter matches, as subscribers get them. */
export function shownEvents(
  page: readonly ThreadEvent[],
  filters: readonly ProtocolFilter[],
  attribution: Attribution,
): ProtocolEvent[] {
  const find = shownPlaces(filters, attribution)
  return page.flatMap((event) => {
    const place = find(event)
    return (place && toProtocolEvent(event, place)) ?? []
  })
}

/** See `toProtocolEvent`. */
interface ShownPlace {
  place: ProtocolPlace
  own: ProtocolPlace | undefined
}

/**
 * Finds where the events of a page are shown; `undefined`: no filter matches. Caches by name: only the name decides, and
 * most events share one.
 */
export function shownPlaces(
  filters: readonly ProtocolFilter[],
  attribution: Attribution,
): (event: Pick<ThreadEvent, 'event'>) => ShownPlace | undefined {
  const known = new Map<string, ShownPlace | undefined>()
  return ({ event }) => {
    if (known.has(event)) return known.get(event)
    const logged = placeOf({ event })
    const place = logged && placeFor(logged, filters, attribution)
    const shown = place && { place, own: protocolPlaceOf(event) }
    known.set(event, shown)
    return shown
  }
}
