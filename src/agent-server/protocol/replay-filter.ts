/**
 * Drops the events that a resumed run emits a second time. After a crash of the run's server, the
 * unfinished step is repeated, and events that the log already has are not written again.
 *
 * Messages are compared piece by piece. A message that comes out differently starts again with the same
 * id. One that does not come again is marked as broken off.
 */
import type { NewEvent } from '../../core/agent/event.ts'
import { protocolEventName, protocolPlaceOf } from '../../core/agent/protocol.ts'
import { parseJson } from '../../core/exact-json.ts'
import type { JsonObject } from '../../core/json.ts'

/** An event that the log has, or will have. */
type Told = Pick<NewEvent, 'event' | 'data'>

interface Params {
  namespace: string[]
  timestamp: number
  node?: string
  data: JsonObject
}

interface ToldMessage {
  params: Params
  /** The pieces of the message that are still expected. */
  rest: string[]
  /** The events of the message since it came out differently. */
  again: NewEvent[]
  isFinished: boolean
}

/**
 * The step of the checkpoint with a graph's input. LangGraph reports it and its values only when the
 * graph resumes from it.
 */
const INPUT_STEP = -1

export class ReplayFilter {
  /** The expected events by name, which includes the namespace. */
  readonly #events = new Map<string, { key: string; at: number }[]>()
  readonly #messages = new Map<string, ToldMessage>()
  /** Namespaces whose next values are those of their input. */
  readonly #silent = new Set<string>()
  #count = 0

  /** `told`: the events in the log since the checkpoint at which the run resumes. */
  constructor(told: Told[]) {
    for (const event of told) this.#expect(event)
  }

  /** The events to write when the run emits this one. */
  onEvent(event: NewEvent): NewEvent[] {
    const { channel, namespace } = protocolPlaceOf(event.event) ?? {}
    if (channel === 'messages') return this.#onMessage(event)
    const key = keyOf(event)
    const expected = this.#events.get(event.event) ?? []
    const [known] = expected.splice(expected.findIndex((one) => one.key === key) >>> 0, 1)
    if (known) {
      if (channel === 'checkpoints') this.#goOnFrom(namespace ?? [], known.at)
      return []
    }
    if (channel === 'checkpoints') return this.#onCheckpoint(event, namespace ?? [])
    return channel === 'values' && this.#silent.delete(keyOfNamespace(namespace)) ? [] : [event]
  }

  /** Handles a step that the log does not have: the events that were expected before it will not come. */
  #onCheckpoint(event: NewEvent, namespace: string[]): NewEvent[] {
    const { data } = parseJson(event.data) as Params
    if (data.step !== INPUT_STEP) return [...this.#forget(namespace), event]
    this.#silent.add(keyOfNamespace(namespace))
    return []
  }

  /** The run is over: marks the messages that did not come again. */
  onEnd(): NewEvent[] {
    return this.#forget([])
  }

  #expect(event: Told): void {
    const place = protocolPlaceOf(event.event)
    if (!place) return
    if (place.channel === 'messages') {
      this.#expectMessage(event)
      return
    }
    const expected = this.#events.get(event.event) ?? []
    this.#count += 1
    expected.push({ key: keyOf(event), at: this.#count })
    this.#events.set(event.event, expected)
  }

  /** A subgraph resumes at its own checkpoint: its earlier events will not come again. */
  #goOnFrom(namespace: string[], at: number): void {
    for (const [name, expected] of this.#events) {
      const own = protocolPlaceOf(name)?.namespace ?? []
      if (keyOfNamespace(own) !== keyOfNamespace(namespace)) continue
      const rest = expected.filter((one) => one.at > at)
      this.#events.set(name, rest)
    }
  }

  #expectMessage(event: Told): void {
    const params = parseJson(event.data) as Params
    const id = messageKey(params)
    const known = this.#messages.get(id) ?? { params, rest: [], again: [], isFinished: false }
    // A message that started again is compared from there.
    if (params.data.event === 'message-start') known.rest = []
    known.rest.push(keyOf(event))
    known.isFinished = isLast(params)
    this.#messages.set(id, known)
  }

  #onMessage(event: NewEvent): NewEvent[] {
    const params = parseJson(event.data) as Params
    const told = this.#messages.get(messageKey(params))
    if (!told) {
      const isNew = params.data.event === 'message-start'
      return [...(isNew ? this.#breakOff(params.namespace) : []), event]
    }
    told.again.push(event)
    const [next] = told.rest
    if (next === undefined) return [event]
    if (next === keyOf(event)) {
      told.rest.shift()
      return []
    }
    told.rest = []
    return told.again
  }

  #forget(namespace: string[]): NewEvent[] {
    for (const name of this.#events.keys()) {
      if (isWithin(protocolPlaceOf(name)?.namespace ?? [], namespace)) this.#events.delete(name)
    }
    const broken = this.#breakOff(namespace)
    for (const [id, { params }] of this.#messages) {
      if (isWithin(params.namespace, namespace)) this.#messages.delete(id)
    }
    return broken
  }

  /** Ends the messages of this namespace that were started and did not come again. */
  #breakOff(namespace: string[]): NewEvent[] {
    return [...this.#messages].flatMap(([id, { params, again, isFinished }]) => {
      if (again.length > 0 || isFinished || !isWithin(params.namespace, namespace)) return []
      this.#messages.delete(id)
      return [brokenOff(params)]
    })
  }
}

function brokenOff(params: Params): NewEvent {
  const { namespace } = params
  const message = 'The server stopped while this was written; it is written anew.'
  const data = { event: 'error', message, code: 'restarted', run_id: params.data.run_id ?? null }
  return {
    event: protocolEventName({ channel: 'messages', namespace }),
    data: JSON.stringify({ ...params, timestamp: Date.now(), data }),
    isOfThreadOnly: true,
  }
}

function messageKey({ namespace, data }: Params): string {
  return [...namespace, data.run_id].join('|')
}

function isLast({ data }: Params): boolean {
  return data.event === 'message-finish' || data.event === 'error'
}

/** The data without its time, which differs in each attempt. */
function keyOf({ data }: Told): string {
  const { timestamp, ...params } = parseJson(data) as Params
  return JSON.stringify(params)
}

function keyOfNamespace(namespace: string[] = []): string {
  return namespace.join('|')
}

function isWithin(namespace: string[], above: string[]): boolean {
  return above.every((part, i) => namespace[i] === part)
}
