/**
 * The thread-centred streaming protocol: what a client may subscribe to, and how its events stand in
 * the log. Source: `@langchain/protocol`.
 */

/** What a client subscribes to; beside these `custom:<name>`, of `custom` only what has the name. */
export const CHANNELS = [
  'values',
  'updates',
  'messages',
  'tools',
  'lifecycle',
  'input',
  'checkpoints',
  'tasks',
  'custom',
] as const

export type Channel = (typeof CHANNELS)[number]

export function isChannel(name: string): boolean {
  return CHANNELS.some((one) => one === name) || /^custom:./s.test(name)
}

/** Why a command was refused. */
export const PROTOCOL_ERROR_CODES = [
  'invalid_argument',
  'unknown_command',
  'unknown_error',
  'no_such_run',
  'no_such_subscription',
  'no_such_namespace',
  'no_such_interrupt',
  'no_such_checkpoint',
  'permission_denied',
  'not_supported',
] as const

export type ProtocolErrorCode = (typeof PROTOCOL_ERROR_CODES)[number]

/** Which of a thread's events a subscriber wants. */
export interface ProtocolFilter {
  channels: readonly string[]
  /** Only of these namespaces and of those below them; absent or empty: of all. */
  namespaces?: readonly (readonly string[])[]
  /** How many levels below such a namespace, or below the root; absent: any. */
  depth?: number
}

/**
 * Where a client looks for messages and tool calls: at the node that wrote them (`["model:<task>"]` for a
 * node of the root graph), where the official TypeScript server tells them, or at the graph of that node
 * (`[]`), where the Python one does.
 */
export type Attribution = 'node' | 'graph'

/** Where a run, its parts and its children stand. */
export type AgentStatus = 'started' | 'running' | 'completed' | 'failed' | 'interrupted'

const PREFIX = 'protocol/'

/** The name of a `lifecycle` event whose namespace is that of a node, and of no graph. */
export const NODE = 'node'

/** A place in the log's names: channel, the name of a `custom` event, namespace. */
export interface ProtocolPlace {
  channel: Channel
  /** Of a `custom` event, or `NODE`. */
  name?: string
  namespace: string[]
}

/** The name under which the log keeps an event of the protocol; its data are the event's `params`. */
export function protocolEventName({ channel, name, namespace }: ProtocolPlace): string {
  const suffix = name === undefined ? '' : `:${encodeURIComponent(name)}`
  return [`${PREFIX}${channel}${suffix}`, ...namespace].join('|')
}

/** `undefined`: the event is one of the legacy streams. */
export function protocolPlaceOf(event: string): ProtocolPlace | undefined {
  if (!event.startsWith(PREFIX)) return undefined
  const [head = '', ...namespace] = event.slice(PREFIX.length).split('|')
  const colon = head.indexOf(':')
  if (colon < 0) return { channel: head as Channel, namespace }
  const name = decodeURIComponent(head.slice(colon + 1))
  return { channel: head.slice(0, colon) as Channel, name, namespace }
}
