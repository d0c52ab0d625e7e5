/** What a graph host asks the agent server for. */

import type { JsonObject } from '../../json.ts'
import type { Place } from '../../origin.ts'
import type { GraphCheckpoints } from '../checkpoint.ts'
import type { FoundItem, Item, ItemId, ItemPage, ItemQuery, NamespaceQuery } from '../items/item.ts'

export interface HostCalls {
  /** Where graphs keep their threads' history, outside of runs: those bring their own (`RunCalls`). */
  checkpoints: GraphCheckpoints
  /** The store, as nodes use it. */
  items: GraphItems
  /** Hears of each function of a node just before it is called. */
  onNode(place: Place): void
  /**
   * A request of the project's own code to the server that it runs in, which needs none of the server's
   * keys. It ends with the request's signal. `asProject`: the project's own `auth` is not asked either, as
   * of what the project does for itself; default: it is, as of a request from outside. `run_id`: the run whose graph
   * sends it.
   */
  fetch(
    request: Request,
    options?: { asProject?: boolean; run_id?: string | undefined },
  ): Promise<Response>
}

/** The items of the store as `langgraph.json` says: with time to live, and found by their meaning. */
export interface GraphItems {
  /** `undefined`: there is none, or its time is up. */
  get(id: ItemId, refresh?: Refresh): Promise<Item | undefined>
  /** All of them or none. Throws `unavailable` where the project's embeddings fail. */
  write(puts: ItemPut[]): Promise<void>
  /** One list for each search; the texts that they ask for are embedded together. */
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
  /** What the items shall mean. Without an index it is passed over. */
  query?: string
}

export interface Refresh {
  /** Whether what is found begins its time anew. Default: `store.ttl.refresh_on_read`. */
  refresh_ttl?: boolean
}
