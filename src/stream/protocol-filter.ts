/** Decides which events of the protocol a subscriber gets. */
import {
  type Attribution,
  type Channel,
  NODE,
  type ProtocolFilter,
  type ProtocolPlace,
} from '../core/agent/protocol.ts'

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
