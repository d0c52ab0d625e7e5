/** A thread's events for one subscriber. */
import type { Caller, MetadataFilter } from '../../core/agent/authorization.ts'
import type { ThreadEvent } from '../../core/agent/event.ts'
import {
  type Attribution,
  type Channel,
  NODE,
  type ProtocolFilter,
  type ProtocolPlace,
  protocolPlaceOf,
} from '../../core/agent/protocol.ts'
import { AppError } from '../../core/errors.ts'
import { type ProtocolEvent, placeOf, toProtocolEvent } from '../../stream/protocol-event.ts'
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
 * Finds where the events of a page are shown; `undefined`: no filter matches. Caches by name: only the name decides,
 * and most events share one.
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

/** The place at which the first matching filter shows the event. `undefined`: none matches. */
export function placeFor(
  place: ProtocolPlace,
  filters: readonly ProtocolFilter[],
  attribution: Attribution,
): ProtocolPlace | undefined {
  for (const filter of filters) {
    const isByGraph = attributionOf(filter, attribution) === 'graph'
    const told = isByGraph ? placeByGraph(place) : place
    if (told && isWanted(told, filter)) return told
  }
  return undefined
}

/**
 * Where the subscriber expects messages and tool calls, judged by its subscription. The Python SDK expects them at the
 * graph: it joins all its channels with `lifecycle` of all namespaces, and reads `input`, the questions, on a separate
 * connection. The JavaScript SDK expects them at the node, and subscribes to `lifecycle` and `input` together. By node
 * the root has none, so a filter for the root alone gets them at the graph. All others get `otherwise`.
 */
function attributionOf(filter: ProtocolFilter, otherwise: Attribution): Attribution {
  const { channels, namespaces = [], depth } = filter
  if (depth === 0 && namespaces.some((namespace) => namespace.length === 0)) return 'graph'
  const wants = (channel: Channel) => channels.includes(channel)
  if (namespaces.length > 0 || (wants('lifecycle') && wants('input'))) return 'node'
  return wants('lifecycle') && (wants('messages') || wants('tools')) ? 'graph' : otherwise
}

/** `undefined`: the event is about a node. */
function placeByGraph(place: ProtocolPlace): ProtocolPlace | undefined {
  const { channel, name, namespace } = place
  if (channel === 'lifecycle' && name === NODE) return undefined
  const isOfNode = channel === 'messages' || channel === 'tools'
  return isOfNode ? { ...place, namespace: namespace.slice(0, -1) } : place
}

function isWanted(place: ProtocolPlace, filter: ProtocolFilter): boolean {
  const { namespaces, depth } = filter
  if (!hasChannel(place, filter.channels)) return false
  const prefixes = namespaces && namespaces.length > 0 ? namespaces : [[]]
  return prefixes.some(
    (prefix) =>
      isBelow(place.namespace, prefix) &&
      (depth === undefined || place.namespace.length - prefix.length <= depth),
  )
}

/** Whether a channel matches. `custom` matches every `custom:<name>`; an event without a name is only on `custom`. */
function hasChannel({ channel, name }: ProtocolPlace, channels: readonly string[]): boolean {
  const isNamed = channel === 'custom' && name !== undefined
  return channels.includes(channel) || (isNamed && channels.includes(`custom:${name}`))
}

/**
 * Whether the namespace lies at or below the prefix. `child` matches `child:<task>` with every task; with a task it
 * matches only itself.
 */
function isBelow(namespace: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((part, i) => {
    const segment = namespace[i]
    return segment === part || (!part.includes(':') && segment?.split(':', 1)[0] === part)
  })
}
