/**
 * The subscriptions of one WebSocket client. Its events come in the thread's order: a subscription
 * that is added later first gets the earlier events, while the others wait.
 */

import type { ThreadEvent } from '../../core/agent/event.ts'
import type { ProtocolFilter } from '../../core/agent/protocol.ts'
import { AppError } from '../../core/errors.ts'
import type { Parts } from '../agent-server-parts.ts'
import { type Admission, confirm, shownEvents, shownPlaces } from './thread-events.ts'

/** How many events are read at once for a replay. */
const PAGE = 64

export interface Subscription {
  id: string
  filter: ProtocolFilter
}

interface SubscriptionsParts {
  parts: Pick<Parts, 'store' | 'events'>
  admission: Admission
  /** Sends the texts of events. Resolves when the client can take more. */
  send: (texts: readonly string[]) => Promise<void>
  signal: AbortSignal
}

export class Subscriptions {
  readonly #with: SubscriptionsParts
  readonly #subscriptions = new Map<string, ProtocolFilter>()
  /** The `seq` up to which all subscriptions have their events. Absent: no subscription yet. */
  #shown: number | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #following: Promise<void> | undefined
  #count = 0

  constructor(parts: SubscriptionsParts) {
    this.#with = parts
  }

  /** Numbers the subscriptions of the connection. */
  nextNumber(): number {
    this.#count += 1
    return this.#count
  }

  /** How many existing events a subscription with this filter would get. */
  async count(filter: ProtocolFilter, since: number): Promise<number> {
    const { parts, admission } = this.#with
    const placeOf = shownPlaces([filter], admission.attribution)
    let count = 0
    let cursor = since
    for (;;) {
      const page = await parts.store.events.readNames(admission.thread_id, cursor, 1_000)
      for (const event of page) if (placeOf(event)) count += 1
      const last = page.at(-1)
      if (!last) return count
      cursor = last.seq
    }
  }

  /** Calls `begin`, sends the subscriptions the events after `since`, then adds them. */
  add(added: Subscription[], since: number, begin: () => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      await begin()
      if (this.#shown === undefined) this.#follow(since)
      else await this.#replay(added, since, this.#shown)
      for (const { id, filter } of added) this.#subscriptions.set(id, filter)
    })
  }

  /** `false`: no subscription has this id. */
  remove(id: string): boolean {
    return this.#subscriptions.delete(id)
  }

  all(): Subscription[] {
    return [...this.#subscriptions].map(([id, filter]) => ({ id, filter }))
  }

  /** Rejects with the reason when following ends. `undefined`: no subscription yet. */
  get over(): Promise<void> | undefined {
    return this.#following
  }

  #follow(since: number): void {
    this.#shown = since
    this.#following = this.#run(since)
    this.#following.catch(() => {})
  }

  async #run(since: number): Promise<void> {
    const { parts, admission, signal } = this.#with
    const from = { after: since, isAwaited: true, signal }
    for await (const page of parts.events.followThreadPages(admission.thread_id, from)) {
      await confirm(parts, admission)
      await this.#inTurn(() => this.#show(page, [...this.#subscriptions.values()]))
    }
    throw new AppError('not_found', `Thread ${admission.thread_id} was removed.`)
  }

  async #replay(added: Subscription[], since: number, upTo: number): Promise<void> {
    const { parts, admission, signal } = this.#with
    const filters = added.map(({ filter }) => filter)
    let cursor = since
    while (cursor < upTo && !signal.aborted) {
      const page = await parts.store.events.readThread(admission.thread_id, cursor, PAGE)
      const missed = page.filter(({ seq }) => seq <= upTo)
      await this.#send(missed, filters)
      cursor = page.at(-1)?.seq ?? upTo
    }
  }

  async #show(page: readonly ThreadEvent[], filters: ProtocolFilter[]): Promise<void> {
    await this.#send(page, filters)
    this.#shown = page.at(-1)?.seq ?? this.#shown
  }

  /** Sends each event once, however many subscriptions match it. */
  async #send(page: readonly ThreadEvent[], filters: ProtocolFilter[]): Promise<void> {
    const { admission, send } = this.#with
    const shown = shownEvents(page, filters, admission.attribution)
    if (shown.length > 0) await send(shown.map(({ text }) => text))
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }
}
