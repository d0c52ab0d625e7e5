/** The calls of a graph host to the agent server, and `Embed`, which the agent server calls. */
import type { JsonObject } from '../../json.ts'
import type { Place } from '../../origin.ts'
import type { GraphCheckpoints } from '../checkpoint.ts'
import type { FoundItem, Item, ItemId, ItemPage, ItemQuery, NamespaceQuery } from '../items/item.ts'

export interface HostCalls {
  /** The threads' history for graphs outside of runs; runs bring their own (`RunCalls`). */
  checkpoints: GraphCheckpoints
  /** The store, as nodes use it. */
  items: GraphItems
  /** Called just before each function of a node. */
  onNode(place: Place): void
  /**
   * Sends a request of the project's own code to its server, without the server's keys. It ends with the request's
   * signal. `asProject`: skips the project's own `auth`, for what the project does for itself; by default `auth`
   * applies as to a request from outside. `run_id`: the run whose graph sends it.
   */
  fetch(
    request: Request,
    options?: { asProject?: boolean; run_id?: string | undefined },
  ): Promise<Response>
}

/** The items of the store, as `langgraph.json` configures it: with a lifetime, and searchable by meaning. */
export interface GraphItems {
  /** `undefined`: the item does not exist or has expired. */
  get(id: ItemId, refresh?: Refresh): Promise<Item | undefined>
  /** Writes all of them or none. Throws `unavailable` when the project's embeddings fail. */
  write(puts: ItemPut[]): Promise<void>
  /** Returns one list for each search; all their texts are embedded together. */
  searchAll(searches: ItemSearch[], refresh?: Refresh): Promise<FoundItem[][]>
  namespaces(query: NamespaceQuery, page: ItemPage): Promise<string[][]>
}

export interface ItemPut extends ItemId {
  /** `null` removes the item. */
  value: JsonObject | null
  /** The paths to embed; `false`: none. Default: those of `store.index.fields`. */
  index?: false | string[]
  /** How long it is kept; `null`: for good. Default: `store.ttl.default_ttl`. */
  ttl_minutes?: number | null
}

export interface ItemSearch extends ItemQuery, ItemPage {
  /** A text to search by meaning. Ignored without an index. */
  query?: string
}

export interface Refresh {
  /** Whether reading an item restarts its lifetime. Default: `store.ttl.refresh_on_read`. */
  refresh_ttl?: boolean
}

/**
 * One vector for each text, in the same order, of the length `store.index.dims`. Throws `unavailable` when the
 * project's code fails, and `bad_request` when it returns something else.
 */
export type Embed = (texts: string[]) => Promise<number[][]>
