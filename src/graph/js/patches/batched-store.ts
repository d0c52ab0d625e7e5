/**
 * LangGraph wraps its `AsyncBatchedStore` around a graph's store. The wrapper looks for operations at every turn of the
 * event loop for as long as a run lasts, drops which fields an item is found by, and refuses to list namespaces. A
 * store that batches by itself needs none of it: for stores of `createStoreClass` the wrapper passes every call on.
 */
import type { BaseStore } from '@langchain/langgraph-checkpoint'
import { isPatched } from './patches.ts'

type Method = (this: { store?: unknown }, ...args: unknown[]) => unknown
type Methods = Record<string, Method | undefined>

const HANDED_ON = ['get', 'search', 'put', 'delete', 'listNamespaces', 'batch', 'start', 'stop']

const changed = new WeakSet<object>()

/**
 * Patches the class, once; other stores are wrapped as before. `undefined`: this version of LangGraph does not export
 * the class, and wraps our stores like any others.
 */
export function handOnOperations(
  Batched: (new (store: BaseStore) => object) | undefined,
  isOurs: (store: unknown) => boolean,
): void {
  const prototype = Batched?.prototype as Methods | undefined
  if (!prototype || changed.has(prototype) || !isPatched('batched-store')) return
  changed.add(prototype)
  for (const name of HANDED_ON) {
    const own = prototype[name]
    prototype[name] = function (...args) {
      const inner = this.store as Methods | undefined
      if (!isOurs(inner)) return own?.apply(this, args)
      return inner?.[name]?.apply(inner as never, args)
    }
  }
}
