/** LangGraph's store over the server's items: what graphs find as `config.store` and `runtime.store`. */
import type {
  BaseStore,
  GetOperation,
  ListNamespacesOperation,
  MatchCondition,
  Operation,
  OperationResults,
  PutOperation,
  SearchItem,
  SearchOperation,
} from '@langchain/langgraph-checkpoint'
import type { GraphItems, ItemPut, ItemSearch } from '../../../core/agent/host/calls.ts'
import { filterProblem, type ItemFilter } from '../../../core/agent/items/filter.ts'
import {
  type FoundItem,
  keyProblem,
  labelsProblem,
  type NamespaceQuery,
  namespaceProblem,
} from '../../../core/agent/items/item.ts'
import { AppError } from '../../../core/errors.ts'
import { withPlainNumbers } from '../../../core/exact-json.ts'
import { isObject, type JsonObject } from '../../../core/json.ts'
import { toWire } from '../langgraph/wire.ts'

/**
 * The store as a subclass of the project's own `BaseStore`. Operations that are begun together are done together: first
 * the reads, which see the state before, then the writes, all of them or none.
 */
export function createStoreClass(Base: typeof BaseStore): new (items: GraphItems) => BaseStore {
  return class Store extends Base {
    readonly #items: GraphItems
    #waiting: Waiting[] = []

    constructor(items: GraphItems) {
      super()
      this.#items = items
      stores.add(this)
    }

    override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
      for (const operation of operations) refuseBad(operation)
      const answers = operations.map((operation) => this.#enqueue(operation))
      return (await Promise.all(answers)) as OperationResults<Op>
    }

    /** LangGraph's own `put` would remove the item for `null`. */
    override async put(...[namespace, key, value, index]: Parameters<BaseStore['put']>) {
      if (value === null || value === undefined) throw invalid(NO_OBJECT)
      await this.batch([{ namespace, key, value, ...(index !== undefined && { index }) }])
    }

    /** Configs that carry the store are logged and traced. */
    toJSON(): string {
      return '[Store]'
    }

    #enqueue(operation: Operation): Promise<unknown> {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      if (this.#waiting.push({ operation, resolve, reject }) === 1) {
        queueMicrotask(() => void this.#flush())
      }
      return promise
    }

    async #flush(): Promise<void> {
      const waiting = this.#waiting
      this.#waiting = []
      await Promise.all([
        settle(waiting.filter(isSearch), (searches) => search(this.#items, searches)),
        ...waiting.filter(isSingle).map((one) => settle([one], ([it]) => read(this.#items, it))),
      ])
      await settle(waiting.filter(isPut), (puts) => write(this.#items, puts))
    }
  }
}

const stores = new WeakSet<object>()

/** Whether the object is such a store, of whichever copy of LangGraph. */
export function isProjectStore(store: unknown): boolean {
  return typeof store === 'object' && store !== null && stores.has(store)
}

interface Waiting<T extends Operation = Operation> {
  operation: T
  resolve(answer: unknown): void
  reject(error: unknown): void
}

/** Resolves each operation with its result, or rejects all with the error. */
async function settle<T extends Operation>(
  waiting: Waiting<T>[],
  work: (operations: T[]) => Promise<unknown[]>,
): Promise<void> {
  if (waiting.length === 0) return
  try {
    const answers = await work(waiting.map(({ operation }) => operation))
    for (const [place, { resolve }] of waiting.entries()) resolve(answers[place])
  } catch (error) {
    for (const { reject } of waiting) reject(error)
  }
}

function isSearch(waiting: Waiting): waiting is Waiting<SearchOperation> {
  return 'namespacePrefix' in waiting.operation
}

function isPut(waiting: Waiting): waiting is Waiting<PutOperation> {
  return 'value' in waiting.operation
}

function isSingle(waiting: Waiting): waiting is Waiting<GetOperation | ListNamespacesOperation> {
  return !isSearch(waiting) && !isPut(waiting)
}

async function search(items: GraphItems, operations: SearchOperation[]): Promise<SearchItem[][]> {
  const searches = operations.map((operation): ItemSearch => {
    const { namespacePrefix, filter, limit = 10, offset = 0, query } = operation
    return {
      namespace_prefix: namespacePrefix,
      ...(filter && { filter: toWire(filter) as ItemFilter }),
      ...(query !== undefined && { query }),
      limit,
      offset,
    }
  })
  return (await items.searchAll(searches)).map((found) => found.map(toSearchItem))
}

async function read(
  items: GraphItems,
  operation: GetOperation | ListNamespacesOperation | undefined,
): Promise<unknown[]> {
  if (!operation) return []
  if ('key' in operation) {
    const found = await items.get(operation)
    return [found ? toSearchItem(found) : null]
  }
  const { limit = 100, offset = 0 } = operation
  return [await items.namespaces(toQuery(operation), { limit, offset })]
}

async function write(items: GraphItems, operations: PutOperation[]): Promise<undefined[]> {
  const puts = operations.map(({ namespace, key, value, index }): ItemPut => {
    const wire = value === null ? null : (toWire(value) as JsonObject)
    return { namespace, key, value: wire, ...(index !== undefined && index !== null && { index }) }
  })
  await items.write(puts)
  return puts.map(() => undefined)
}

function toQuery({ matchConditions = [], maxDepth }: ListNamespacesOperation): NamespaceQuery {
  const pathOf = (type: MatchCondition['matchType']) =>
    matchConditions.find(({ matchType }) => matchType === type)?.path
  const [prefix, suffix] = [pathOf('prefix'), pathOf('suffix')]
  return {
    ...(prefix && { prefix }),
    ...(suffix && { suffix }),
    ...(maxDepth !== undefined && { max_depth: maxDepth }),
  }
}

function toSearchItem({ created_at, updated_at, ...item }: FoundItem): SearchItem {
  const times = { createdAt: new Date(created_at), updatedAt: new Date(updated_at) }
  return { ...withPlainNumbers(item), ...times }
}

/** Refuses an operation as the API does. */
function refuseBad(operation: Operation): void {
  const problem = problemOf(operation)
  if (problem !== undefined) throw invalid(problem)
}

const NO_OBJECT = 'The value of an item is an object.'

function problemOf(operation: Operation): string | undefined {
  if ('namespacePrefix' in operation) {
    const { namespacePrefix, filter } = operation
    return labelsProblem(namespacePrefix) ?? filterProblem((filter ?? {}) as ItemFilter)
  }
  if (!('key' in operation)) return undefined
  const { namespace, key } = operation
  const problem = namespaceProblem(namespace) ?? keyProblem(key)
  if (problem || !('value' in operation) || operation.value === null) return problem
  return isObject(toWire(operation.value)) ? undefined : NO_OBJECT
}

function invalid(problem: string): AppError {
  return new AppError('invalid', problem, {
    issues: [{ loc: ['store'], msg: problem, type: 'value_error' }],
  })
}
