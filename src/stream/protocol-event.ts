/**
 * Converts events of the log into those of the protocol, and those of protocol runs into events of the legacy streams.
 * The log has an event as the API of its run sends it; the end of every run is converted for the protocol.
 */
import {
  END_EVENT,
  isEnd,
  type NewEvent,
  type RunEnd,
  type ThreadEvent,
} from '../core/agent/event.ts'
import {
  type AgentStatus,
  ANSWERED,
  type Channel,
  type ProtocolPlace,
  protocolPlaceOf,
} from '../core/agent/protocol.ts'
import { parseJson } from '../core/exact-json.ts'
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts'

/** An event as a subscriber gets it. */
export interface ProtocolEvent {
  /** Unique in the thread, and the same at every replay. */
  event_id: string
  method: string
  /** The event, as JSON text. */
  text: string
}

/** The place of an event of the log in the protocol. `undefined`: the protocol does not show it. */
export function placeOf({ event }: Pick<NewEvent, 'event'>): ProtocolPlace | undefined {
  const own = protocolPlaceOf(event)
  if (own) return own
  const [name = '', ...namespace] = event.split('|')
  const channel = CHANNEL_OF[name]
  return channel && { channel, namespace }
}

/** The channels for the events of legacy runs, and for the beginning and end of every run. */
const CHANNEL_OF: Readonly<Record<string, Channel>> = {
  metadata: 'lifecycle',
  values: 'values',
  updates: 'updates',
  custom: 'custom',
  tasks: 'tasks',
  [END_EVENT]: 'lifecycle',
}

/**
 * The event for subscribers, shown at `place`; `own` is the place that its name in the log encodes. `undefined`: there
 * is nothing to show.
 */
export function toProtocolEvent(
  event: ThreadEvent,
  { place, own }: { place: ProtocolPlace; own: ProtocolPlace | undefined },
): ProtocolEvent | undefined {
  const method = place.channel === 'input' ? inputMethod(place) : place.channel
  const params = own ? paramsAt(event, own, place) : legacyParams(event, place)
  if (params === undefined) return undefined
  const head = `{"type":"event","event_id":"${event.seq}","seq":${event.seq},"method":"${method}"`
  return { event_id: String(event.seq), method, text: `${head},"params":${params}}` }
}

function inputMethod({ name }: ProtocolPlace): string {
  return name === ANSWERED ? 'input.answered' : 'input.requested'
}

function paramsAt({ data }: ThreadEvent, own: ProtocolPlace, { namespace }: ProtocolPlace): string {
  if (own.namespace.length === namespace.length) return data
  return JSON.stringify({ ...(parseJson(data) as JsonObject), namespace })
}

function legacyParams(
  event: ThreadEvent,
  { channel, namespace }: ProtocolPlace,
): string | undefined {
  const data = parseJson(event.data) as JsonValue
  if (isQuestion(data)) return undefined
  const timestamp = event.created_at
  switch (channel) {
    case 'lifecycle':
      return JSON.stringify({ namespace, timestamp, data: rootStatus(event, data as JsonObject) })
    case 'updates':
      return JSON.stringify({ namespace, timestamp, ...updateOf(data) })
    case 'values':
      return JSON.stringify({ namespace, timestamp, data: withoutInterrupts(data) })
    case 'custom':
      return JSON.stringify({ namespace, timestamp, data: customOf(data) })
    default:
      return JSON.stringify({ namespace, timestamp, data })
  }
}

/** A question is shown as `input.requested`, together with the run's end. */
function isQuestion(data: JsonValue): boolean {
  return isObject(data) && '__interrupt__' in data && Object.keys(data).length === 1
}

/** The lifecycle of a run's root, from its first or last event. */
function rootStatus(event: ThreadEvent, data: JsonObject): object {
  if (!isEnd(event)) return { event: 'running', run_id: data.run_id }
  const { graph_id, status, error, values } = data as unknown as RunEnd
  const asked = values?.__interrupt__
  const isOpen = Array.isArray(asked) && asked.length > 0
  return {
    event: status === 'success' && isOpen ? 'interrupted' : STATUS_OF_END[status],
    ...(graph_id !== undefined && { graph_name: graph_id }),
    ...(error && { error: error.message, ...error.refusal }),
    run_id: event.run_id,
  }
}

const STATUS_OF_END: Readonly<Record<RunEnd['status'], AgentStatus>> = {
  pending: 'running',
  running: 'running',
  success: 'completed',
  error: 'failed',
  timeout: 'failed',
  interrupted: 'interrupted',
  rolled_back: 'interrupted',
}

/** `{node: change}` becomes the change with the node's name beside it. */
export function updateOf(data: JsonValue): { node?: string; data: JsonObject } {
  const [entry] = Object.entries((data ?? {}) as JsonObject)
  if (!entry) return { data: { values: {} } }
  const [node, values] = entry
  return { node, data: { node, values } }
}

/** An event with a name, so that clients can subscribe to it by name. */
export function customOf(data: JsonValue): JsonObject {
  return isObject(data) && typeof data.name === 'string' ? data : { payload: data }
}

export function withoutInterrupts(values: JsonValue): JsonValue {
  if (!isObject(values)) return values
  const { __interrupt__, ...rest } = values
  return rest
}

/** How the legacy streams show an event of a protocol run. `undefined`: they do not. */
export function toLegacyEvent<T extends ThreadEvent>(event: T): T | undefined {
  const place = protocolPlaceOf(event.event)
  if (!place) return event
  if (place.channel === 'lifecycle') return { ...event, ...beginningOf(event) }
  const params = parseJson(event.data) as MessageParams
  const isMessage = place.channel === 'messages'
  const data = isMessage ? legacyMessage(params) : legacyData(place.channel, params.data)
  if (data === undefined) return undefined
  const name = [place.channel, ...place.namespace].join('|')
  return { ...event, event: name, data: JSON.stringify(data) }
}

/** Of the lifecycle, the legacy streams show only the beginning of a run, as `metadata`. */
function beginningOf({ run_id }: ThreadEvent): NewEvent {
  return { event: 'metadata', data: JSON.stringify({ run_id, attempt: 1 }) }
}

function legacyData(channel: Channel, data: JsonValue): JsonValue {
  const fields = data as JsonObject
  if (channel === 'updates') return { [String(fields.node)]: fields.values ?? null }
  return channel === 'custom' && !('name' in fields) ? (fields.payload ?? null) : data
}

/** What the protocol says about a message. */
interface MessageParams {
  namespace: string[]
  node?: string | undefined
  data: JsonObject
}

/**
 * A message in stream mode `messages-tuple`: `[piece, metadata]`. A tool call is shown once it is complete.
 * `undefined`: the legacy streams show nothing of it.
 */
export function legacyMessage({
  namespace,
  node,
  data,
}: MessageParams): [piece: JsonObject, metadata: JsonObject] | undefined {
  const fields = fieldsOf(data)
  if (!fields) return undefined
  const empty = { content: '', additional_kwargs: {}, response_metadata: {}, tool_calls: [] }
  const piece = { ...empty, invalid_tool_calls: [], tool_call_chunks: [], ...fields }
  const about = { langgraph_checkpoint_ns: namespace.join('|') }
  return [
    { ...piece, id: data.run_id ?? null, type: 'ai' },
    { ...(node !== undefined && { langgraph_node: node }), ...about },
  ]
}

function fieldsOf(data: JsonObject): JsonObject | undefined {
  switch (data.event) {
    case 'content-block-delta':
      return deltaFields(data.delta as JsonObject)
    case 'content-block-finish':
      return blockFields(data.content as JsonObject, data.index as number)
    case 'message-finish':
      return data.usage === undefined ? undefined : { usage_metadata: data.usage }
    default:
      return undefined
  }
}

function deltaFields({ type, text, reasoning }: JsonObject): JsonObject | undefined {
  if (type === 'text-delta') return { content: text ?? '' }
  if (type !== 'reasoning-delta') return undefined
  return { additional_kwargs: { reasoning_content: reasoning ?? '' } }
}

function blockFields(block: JsonObject, index: number): JsonObject | undefined {
  const { type, id = null, name = null, args = null } = block
  if (type === 'text' || type === 'reasoning') return undefined
  if (type !== 'tool_call' && type !== 'invalid_tool_call') return { content: [block] }
  const text = typeof args === 'string' ? args : JSON.stringify(args)
  const chunk = { type: 'tool_call_chunk', id, name, args: text, index }
  const list = type === 'tool_call' ? 'tool_calls' : 'invalid_tool_calls'
  return { [list]: [block], tool_call_chunks: [chunk] }
}
