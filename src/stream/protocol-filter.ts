/** Which events of the protocol a subscriber is shown. */
import type { ProtocolFilter, ProtocolPlace } from '../core/protocol.ts'

export function isWanted(place: ProtocolPlace, filter: ProtocolFilter): boolean {
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
  return channels.includes(channel) || (name !== undefined && channels.includes(`custom:${name}`))
}

/** `child` stands for `child:<task>` of every task; what has a task stands for itself only. */
function isBelow(namespace: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((part, i) => {
    const segment = namespace[i]
    return segment === part || (!part.includes(':') && segment?.split(':', 1)[0] === part)
  })
}
