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

/** A WebSocket client's connection. */
export interface Connection {
  context: CommandContext
  subscriptions: Subscriptions
  send: (text: string) => Promise<void>
}

type Verb = (connection: Connection, command: Command) => Promise<void>

/** On success, a verb itself sends the answer to the client, before the requested events. Throws `ProtocolError`. */
export const SUBSCRIPTION_VERBS: ReadonlyMap<string, Verb> = new Map([
  ['subscription.subscribe', subscribe],
  ['subscription.unsubscribe', unsubscribe],
  ['subscription.reconnect', reconnect],
])

async function subscribe(connection: Connection, command: Command): Promise<void> {
  const { context, subscriptions } = connection
  const asked = readParams(command.method, SubscribeSchema, command.params)
  const { since = 0, ...sent } = asked
  const filter = sent as ProtocolFilter
  const text = Buffer.from(JSON.stringify(filter)).toString('base64url')
  const subscription = { id: `sub-${subscriptions.nextNumber()}-${text}`, filter }
  await requireKept(context.parts, context.thread_id, since)
  const replayed_events = await subscriptions.count(filter, since)
  const result = { subscription_id: subscription.id, replayed_events }
  await subscriptions.add([subscription], since, () => succeed(connection, command, result))
}

async function unsubscribe(connection: Connection, command: Command): Promise<void> {
  const { subscription_id: id } = readParams(command.method, UnsubscribeSchema, command.params)
  if (!connection.subscriptions.remove(id)) throw noSubscription(id)
  await succeed(connection, command, {})
}

/** Restores subscriptions of an earlier connection, or this one's, after the last event. */
async function reconnect(connection: Connection, command: Command): Promise<void> {
  const { context, subscriptions } = connection
  const asked = readParams(command.method, ReconnectSchema, command.params)
  const { run } = await requireRun(context, asked.run_id)
  const since = Number(asked.last_event_id ?? 0)
  await requireKept(context.parts, context.thread_id, since)
  const restored = asked.subscriptions?.map(subscriptionOf) ?? subscriptions.all()
  const counts = restored.map(({ filter }) => subscriptions.count(filter, since))
  const missed_events = Math.max(0, ...(await Promise.all(counts)))
  const current_namespaces = (await childrenOf(context, run)) as unknown as JsonObject[]
  const result = { restored: restored.length > 0, missed_events, current_namespaces }
  await subscriptions.add(restored, since, () => succeed(connection, command, result))
}

async function succeed(
  { context, send }: Connection,
  { id }: Command,
  result: JsonObject,
): Promise<void> {
  const { parts, thread_id } = context
  const applied_through_seq = await parts.store.events.lastSeq(thread_id)
  const meta = { thread_id, applied_through_seq }
  await send(JSON.stringify({ type: 'success', id, result, meta }))
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
