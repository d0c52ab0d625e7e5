/**
 * The commands on subscriptions, for WebSockets. The id of a subscription contains its filter, so that
 * another connection or server can restore it.
 */

import type { ProtocolFilter } from '../../core/agent/protocol.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Command } from './command.ts'
import { ProtocolError } from './protocol-error.ts'
import {
  type CommandContext,
  ReconnectSchema,
  readParams,
  SubscribeSchema,
  UnsubscribeSchema,
} from './protocol-schemas.ts'
import type { Subscription, Subscriptions } from './subscriptions.ts'
import { requireKept } from './thread-events.ts'
import { childrenOf, requireRun } from './tree.ts'

export class SubscriptionCommands {
  readonly #context: CommandContext
  readonly #subscriptions: Subscriptions
  readonly #send: (text: string) => Promise<void>
  #count = 0

  constructor(
    context: CommandContext,
    subscriptions: Subscriptions,
    send: (text: string) => Promise<void>,
  ) {
    this.#context = context
    this.#subscriptions = subscriptions
    this.#send = send
  }

  has(method: string): boolean {
    return this.#verbs.has(method)
  }

  /** On success, sends the answer to the client itself. Throws `ProtocolError`. */
  async handle(command: Command): Promise<JsonObject> {
    await this.#verbs.get(command.method)?.(command)
    return {}
  }

  readonly #verbs = new Map([
    ['subscription.subscribe', (command: Command) => this.#subscribe(command)],
    ['subscription.unsubscribe', (command: Command) => this.#unsubscribe(command)],
    ['subscription.reconnect', (command: Command) => this.#reconnect(command)],
  ])

  async #subscribe(command: Command): Promise<void> {
    const asked = readParams(command.method, SubscribeSchema, command.params)
    const { since = 0, ...sent } = asked
    const filter = sent as ProtocolFilter
    const subscription = { id: this.#idOf(filter), filter }
    await this.#requireKept(since)
    const replayed_events = await this.#subscriptions.count(filter, since)
    const result = { subscription_id: subscription.id, replayed_events }
    await this.#subscriptions.add([subscription], since, () => this.#succeed(command, result))
  }

  async #unsubscribe(command: Command): Promise<void> {
    const { subscription_id: id } = readParams(command.method, UnsubscribeSchema, command.params)
    if (!this.#subscriptions.remove(id)) throw noSubscription(id)
    await this.#succeed(command, {})
  }

  /** Restores subscriptions of an earlier connection, or this one's, after the last event. */
  async #reconnect(command: Command): Promise<void> {
    const asked = readParams(command.method, ReconnectSchema, command.params)
    const { run } = await requireRun(this.#context, asked.run_id)
    const since = asked.last_event_id === undefined ? 0 : Number(asked.last_event_id)
    await this.#requireKept(since)
    const restored = asked.subscriptions?.map(subscriptionOf) ?? this.#subscriptions.all()
    const counts = restored.map(({ filter }) => this.#subscriptions.count(filter, since))
    const missed_events = Math.max(0, ...(await Promise.all(counts)))
    const current_namespaces = (await childrenOf(this.#context, run)) as unknown as JsonObject[]
    const result = { restored: restored.length > 0, missed_events, current_namespaces }
    await this.#subscriptions.add(restored, since, () => this.#succeed(command, result))
  }

  #requireKept(since: number): Promise<void> {
    const { parts, thread_id } = this.#context
    return requireKept(parts, thread_id, since)
  }

  async #succeed({ id }: Command, result: JsonObject): Promise<void> {
    const { parts, thread_id } = this.#context
    const applied_through_seq = await parts.store.events.lastSeq(thread_id)
    const meta = { thread_id, applied_through_seq }
    await this.#send(JSON.stringify({ type: 'success', id, result, meta }))
  }

  #idOf(filter: ProtocolFilter): string {
    this.#count += 1
    const text = Buffer.from(JSON.stringify(filter)).toString('base64url')
    return `sub-${this.#count}-${text}`
  }
}

function subscriptionOf(id: string): Subscription {
  const [, text = ''] = /^sub-\d+-([\w-]+)$/.exec(id) ?? []
  try {
    const { since, ...filter } = SubscribeSchema.parse(
      JSON.parse(Buffer.from(text, 'base64url').toString()),
    )
    return { id, filter: filter as ProtocolFilter }
  } catch {
    throw noSubscription(id)
  }
}

function noSubscription(id: string): ProtocolError {
  return new ProtocolError('no_such_subscription', `There is no subscription "${id}".`)
}
