/** Which events of the protocol a subscriber is shown. */
import {
  type Attribution,
  NODE,
  type ProtocolFilter,
  type ProtocolPlace,
} from '../core/agent/protocol.ts'

/**
 * Where the event is told to the first of these filters that wants it. `undefined`: none does. Whoever
 * asks for the root and nothing below it has messages and tool calls by graph: by node the root has none.
 */
export function placeFor(
  place: ProtocolPlace,
  filters: readonly ProtocolFilter[],
  attribution: Attribution,
): ProtocolPlace | undefined {
  for (const filter of filters) {
    const isByGraph = attribution === 'graph' || isRootAlone(filter)
    const told = isByGraph ? placeByGraph(place) : place
    if (told && isWanted(told, filter)) return told
  }
  return undefined
}

/** The Python SDK reads by graph, whatever it subscribes to; all others by node. */
export function attributionFor(userAgent: string | undefined): Attribution {
  return /^(langgraph-sdk-py\/|Python\/\S+ websockets\/)/.test(userAgent ?? '') ? 'graph' : 'node'
}

function isRootAlone({ namespaces = [], depth }: ProtocolFilter): boolean {
  return depth === 0 && namespaces.some((namespace) => namespace.length === 0)
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

/** `custom` stands for every `custom:<name>`; one that has no name is only `custom`. */
function hasChannel({ channel, name }: ProtocolPlace, channels: readonly string[]): boolean {
  const isNamed = channel === 'custom' && name !== undefined
  return channels.includes(channel) || (isNamed && channels.includes(`custom:${name}`))
}

/** `child` stands for `child:<task>` of every task; what has a task stands for itself only. */
function isBelow(namespace: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((part, i) => {
    const segment = namespace[i]
    return segment === part || (!part.includes(':') && segment?.split(':', 1)[0] === part)
  })
}
