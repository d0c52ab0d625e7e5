/**
 * The thread-centred streaming protocol: the channels that a client may subscribe to, and how the log
 * holds its events. Source: `@langchain/protocol`.
 */

import type { JsonObject } from '../json.ts'
import type { NewEvent } from './event.ts'
import type { Interrupt } from './thread.ts'

/**
 * The channels of a subscription. There is also `custom:<name>`, for the `custom` events of that name
 * only.
 */
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

/** Selects those events of a thread that a subscriber wants. */
export interface ProtocolFilter {
  channels: readonly string[]
  /** Only events of these namespaces and of those below them. Absent or empty: of all. */
  namespaces?: readonly (readonly string[])[]
  /** How many levels below such a namespace, or below the root. Absent: any number. */
  depth?: number
}

/**
 * Where a client expects messages and tool calls. The official TypeScript server reports them at the node
 * that wrote them (`["model:<task>"]` for a node of the root graph), the Python server at the graph of
 * that node (`[]`).
 */
export type Attribution = 'node' | 'graph'

/** The state of a run, of its parts and of its children. */
export type AgentStatus = 'started' | 'running' | 'completed' | 'failed' | 'interrupted'

const PREFIX = 'protocol/'

/** The name of a `lifecycle` event whose namespace belongs to a node and not to a graph. */
export const NODE = 'node'

/** The place that an event's name in the log encodes: channel, name of a `custom` event, namespace. */
export interface ProtocolPlace {
  channel: Channel
  /** The name of a `custom` event, `NODE` or `ANSWERED`. */
  name?: string
  namespace: string[]
}

/** The name of a protocol event in the log. Its data are the event's `params`. */
export function protocolEventName({
  channel,
  name,
  namespace,
}: Omit<ProtocolPlace, 'name'> & { name?: string | undefined }): string {
  const suffix = name === undefined ? '' : `:${encodeURIComponent(name)}`
  const head = `${PREFIX}${channel}${suffix}`
  return namespace.length > 0 ? `${head}|${namespace.join('|')}` : head
}

/** `undefined`: the event belongs to the legacy streams. */
export function protocolPlaceOf(event: string): ProtocolPlace | undefined {
  if (!event.startsWith(PREFIX)) return undefined
  const [head = '', ...namespace] = event.slice(PREFIX.length).split('|')
  const colon = head.indexOf(':')
  if (colon < 0) return { channel: head as Channel, namespace }
  const name = decodeURIComponent(head.slice(colon + 1))
  return { channel: head.slice(0, colon) as Channel, name, namespace }
}

/** The data of `input.requested`. `response_schema` is Runyard's own field: the event may have any. */
export function inputRequest({ id, value, response_schema }: Interrupt): JsonObject {
  return {
    interrupt_id: String(id),
    payload: value ?? null,
    ...(response_schema && { response_schema }),
  }
}

/** The name of the `input` event that reports answers; other `input` events ask. */
export const ANSWERED = 'answered'

/** `input.answered`: a new run answers these interrupts. `now`: ms since 1970. */
export function inputAnswered(interrupt_ids: string[], now: number): NewEvent {
  const params = { namespace: [], timestamp: now, data: { interrupt_ids } }
  return {
    event: protocolEventName({ channel: 'input', name: ANSWERED, namespace: [] }),
    data: JSON.stringify(params),
    isOfThreadOnly: true,
  }
}
