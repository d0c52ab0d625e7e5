/**
 * The items of the store with the settings of the project's `langgraph.json`: time to live, and search
 * by the project's own embeddings. The API and the graphs both use this class.
 */

import type {
  Embed,
  GraphItems,
  ItemPut,
  ItemSearch,
  Refresh,
} from '../../core/agent/host/calls.ts'
import { filterProblem } from '../../core/agent/items/filter.ts'
import {
  type FoundItem,
  type Item,
  type ItemChange,
  type ItemId,
  type ItemPage,
  type ItemStore,
  type ItemVector,
  keyProblem,
  labelsProblem,
  type NamespaceQuery,
  namespaceProblem,
} from '../../core/agent/items/item.ts'
import { textsAt } from '../../core/agent/items/text.ts'
import type { StoreConfig } from '../../core/agent/server/project-settings.ts'
import type { Clock } from '../../core/clock.ts'
import { invalidField } from '../../core/errors.ts'

interface ItemsParts {
  store: ItemStore
  config: StoreConfig
  /** Absent: the project has no index. */
  embed: Embed | undefined
  clock: Clock
}

export class Items implements GraphItems {
  readonly #parts: ItemsParts

  constructor(parts: ItemsParts) {
    this.#parts = parts
  }

  async get(id: ItemId, refresh: Refresh = {}): Promise<Item | undefined> {
    requireFitting(labelsProblem(id.namespace) ?? keyProblem(id.key))
    return this.#parts.store.get(id, this.#reading(refresh))
  }

  async write(puts: ItemPut[]): Promise<void> {
    for (const { namespace, key } of puts) {
      requireFitting(namespaceProblem(namespace) ?? keyProblem(key))
    }
    const { store, config, clock } = this.#parts
    const vectors = await this.#embedAll(puts)
    const changes = puts.map((put, place): ItemChange => {
      const { namespace, key, value, ttl_minutes = config.defaultTtlMinutes ?? null } = put
      if (value === null) return { namespace, key, value }
      return { namespace, key, value, ttl_minutes, vectors: vectors[place] ?? [] }
    })
    await store.write(changes, clock.now())
  }

  async searchAll(searches: ItemSearch[], refresh: Refresh = {}): Promise<FoundItem[][]> {
    for (const { namespace_prefix, filter = {} } of searches) {
      requireFitting(labelsProblem(namespace_prefix) ?? filterProblem(filter))
    }
    const { store, embed } = this.#parts
    const texts = embed ? [...new Set(searches.flatMap(({ query }) => query || []))] : []
    const vectors = await this.#embedTexts(texts)
    const answers: FoundItem[][] = []
    for (const { query, limit, offset, ...rest } of searches) {
      const vector = query ? vectors.get(query) : undefined
      const page = { limit, offset }
      const found = vector
        ? store.nearest({ ...rest, vector }, page, this.#reading(refresh))
        : store.search(rest, page, this.#reading(refresh))
      answers.push(await found)
    }
    return answers
  }

  async namespaces(query: NamespaceQuery, page: ItemPage): Promise<string[][]> {
    const { prefix = [], suffix = [] } = query
    requireFitting(labelsProblem(prefix) ?? labelsProblem(suffix))
    const { store, clock } = this.#parts
    return store.namespaces(query, page, clock.now())
  }

  #reading({ refresh_ttl = this.#parts.config.refreshOnRead }: Refresh) {
    return { now: this.#parts.clock.now(), isRefreshed: refresh_ttl }
  }

  /** The vectors of each item, in the order of `puts`. */
  async #embedAll(puts: ItemPut[]): Promise<ItemVector[][]> {
    const fieldsOf = puts.map((put) => this.#fieldsOf(put))
    const texts = fieldsOf.flatMap((fields) => fields.map(({ text }) => text))
    const vectors = await this.#embedTexts([...new Set(texts)])
    return fieldsOf.map((fields) =>
      fields.map(({ field, text }) => ({ field, vector: vectors.get(text) as number[] })),
    )
  }

  #fieldsOf({ value, index }: ItemPut): { field: string; text: string }[] {
    const { embed, config } = this.#parts
    if (!embed || !value || index === false) return []
    const paths = new Set(index ?? config.index?.fields)
    return [...paths].flatMap((path) =>
      textsAt(value, path).map((text, place) => ({ field: `${path}.${place}`, text })),
    )
  }

  async #embedTexts(texts: string[]): Promise<Map<string, number[]>> {
    const { embed } = this.#parts
    if (!embed || texts.length === 0) return new Map()
    const vectors = await embed(texts)
    return new Map(texts.map((text, place) => [text, vectors[place] as number[]]))
  }
}

/** Graphs in any language get the API's refusals. The API's verbs check first, with their own field names. */
function requireFitting(problem: string | undefined): void {
  if (problem) throw invalidField(['store'], problem)
}

/** How many items are removed in one step. */
const STEP = 1_000

/** Removes the items that have expired at `now`, in ms since 1970. Returns their number. */
export async function removeExpiredItems(items: ItemStore, now: number): Promise<number> {
  let removed = 0
  for (;;) {
    const step = await items.expire(now, STEP)
    removed += step
    if (step < STEP) return removed
  }
}
