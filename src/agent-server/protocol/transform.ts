/** Passes a run's events through the graph's own stream transformers. */

import type { NewEvent } from '../../core/agent/event.ts'
import type { Emission } from '../../core/agent/host/emission.ts'
import type { MadeEvent, StreamTransform, ToldEvent } from '../../core/agent/host/run.ts'
import { CHANNELS, type Channel, protocolPlaceOf } from '../../core/agent/protocol.ts'
import { parseJson } from '../../core/exact-json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { customOf } from '../../stream/protocol-event.ts'

/** Makes an event of the log. */
export type WriteEvent = (
  channel: Channel,
  namespace: string[],
  data: JsonValue,
  about: { node?: string | undefined; name?: string | undefined },
) => NewEvent

/** The server needs these events to resume a run, so they are always kept. */
const KEPT: ReadonlySet<Channel> = new Set(['checkpoints', 'lifecycle', 'input'])

/** Time limit for the host's last events of a failed run, in ms. */
const FAIL_LIMIT_MS = 1_500

export class Transform {
  readonly #transform: StreamTransform
  readonly #write: WriteEvent
  readonly #failLimitMs: number
  #isOver = false

  constructor(transform: StreamTransform, write: WriteEvent, failLimitMs = FAIL_LIMIT_MS) {
    this.#transform = transform
    this.#write = write
    this.#failLimitMs = failLimitMs
  }

  /** Returns the events that replace these. `of`: the emission that they come from, if any. */
  async onEvents(events: NewEvent[], of?: Emission): Promise<NewEvent[]> {
    if (this.#isOver) return events
    const told = await this.#transform.onEvents(events.map(toTold), of)
    return told.map((one) =>
      typeof one === 'number' ? (events[one] as NewEvent) : this.#made(one),
    )
  }

  /** Call when the graph has ended. Returns the last events. */
  async finish(): Promise<NewEvent[]> {
    const made = await this.#transform.finish()
    this.#isOver = true
    return made.map((one) => this.#made(one))
  }

  /** Call when the run has failed or was stopped. Returns no events if the host does not answer in time. */
  async fail(error: { name: string; message: string }): Promise<NewEvent[]> {
    if (this.#isOver) return []
    this.#isOver = true
    const made = await this.#inTime(this.#transform.fail(error))
    return made.map((one) => this.#made(one))
  }

  async #inTime(made: MadeEvent[] | Promise<MadeEvent[]>): Promise<MadeEvent[]> {
    const { promise: late, resolve } = Promise.withResolvers<MadeEvent[]>()
    const timer = setTimeout(() => resolve([]), this.#failLimitMs)
    try {
      return await Promise.race([made, late])
    } finally {
      clearTimeout(timer)
    }
  }

  #made({ method, namespace, data, node }: MadeEvent): NewEvent {
    const channel = CHANNELS.find((one) => one === method) ?? 'custom'
    if (channel !== 'custom') return this.#write(channel, namespace, data, { node })
    const custom = customData(method, data)
    return this.#write(channel, namespace, custom, { node, name: custom.name as string })
  }
}

function toTold({ event, data }: NewEvent): ToldEvent {
  const method = protocolPlaceOf(event)?.channel as Channel
  const params = parseJson(data) as Omit<ToldEvent, 'method' | 'isKept'>
  return { ...params, method, isKept: KEPT.has(method) }
}

/** A method that the protocol does not have becomes the name of a `custom` event. */
function customData(method: string, payload: JsonValue): JsonObject {
  if (method === 'custom') return customOf(payload)
  return { name: method.replace(/^custom:/, ''), payload }
}
