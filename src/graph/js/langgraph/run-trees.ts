/**
 * LangSmith's `RunTree` is made when somebody looks at it. LangChain makes one for each function of a graph that it calls, even
 * where nothing is traced: it carries the call's config to whoever asks for it further in, and tells LangSmith that what is
 * called within is not traced either. Hardly anybody asks it for more, and a tree costs an id, a date in two forms and a dozen
 * looks at the environment, which is a twentieth of a short run.
 */
import { bundledModule } from '../modules/bundled.ts'
import { importFor } from '../modules/loader.ts'

export const SINGLETONS_MODULE = '@langchain/core/singletons'

/** LangChain's own keys; all its copies share them. */
const CONFIG = Symbol.for('lc:child_config')
const VARIABLES = Symbol.for('lc:context_variables')

/** What is used of LangSmith's class. */
interface RunTree {
  extra: Record<PropertyKey, unknown>
  tracingEnabled?: boolean
  [VARIABLES]?: unknown
}

interface Contexts {
  getStore(): unknown
  run<T>(store: unknown, work: () => T): T
}

/** LangChain's `AsyncLocalStorageProviderSingleton`. */
export interface ConfigStorage {
  getInstance(): Contexts
  /** Runs the work with the config around it. With `isWithoutTree` there is a tree only where a tracer has one. */
  runWithConfig<T>(config: unknown, work: () => T, isWithoutTree?: boolean): T
}

/**
 * Has the copy of LangChain that the graph's file imports make such trees late. Changes nothing where the file is in the
 * bundle of an older version, which does not name that module. Once is enough, more is harmless.
 */
export async function makeRunTreesLate(file: string): Promise<void> {
  const bundled = bundledModule(file)
  if (bundled && !(SINGLETONS_MODULE in bundled.packages)) return
  const module = await importFor(file, SINGLETONS_MODULE)
  makeLateIn((module as Singletons).AsyncLocalStorageProviderSingleton)
}

interface Singletons {
  AsyncLocalStorageProviderSingleton: ConfigStorage
}

const late = new WeakSet<ConfigStorage>()

/** See `makeRunTreesLate`. A version of LangChain that goes about it in another way makes its trees as before. */
export function makeLateIn(storage: ConfigStorage): void {
  if (late.has(storage)) return
  late.add(storage)
  const own = storage.runWithConfig
  const make = () => untracedTree(storage, own)
  /** Not asked before the first call, since the first tree also makes LangSmith's client. */
  let isKnown: boolean | undefined
  storage.runWithConfig = function runWithConfig(config, work, isWithoutTree) {
    isKnown ??= hasKnownForm(make()) && asksForContextsOnly(storage, own)
    if (isWithoutTree || !isKnown) return own.call(storage, config, work, isWithoutTree)
    return own.call(new LateTrees(storage.getInstance(), { config, make }), config, work, true)
  } as ConfigStorage['runWithConfig']
}

/** What LangChain's function runs the work in: a tree is added where it brings none. */
class LateTrees implements ConfigStorage, Contexts {
  readonly #contexts: Contexts
  readonly #call: { config: unknown; make(): unknown }

  constructor(contexts: Contexts, call: { config: unknown; make(): unknown }) {
    this.#contexts = contexts
    this.#call = call
  }

  getInstance(): Contexts {
    return this
  }

  getStore(): unknown {
    return this.#contexts.getStore()
  }

  run<T>(stored: Partial<RunTree> | undefined, work: () => T): T {
    if (stored && 'extra' in stored) return this.#contexts.run(stored, work)
    const { config, make } = this.#call
    const extra = { metadata: {}, [CONFIG]: config }
    return this.#contexts.run(lateTree({ extra, variables: stored?.[VARIABLES], make }), work)
  }

  runWithConfig(): never {
    throw new Error('LangChain asks for the contexts only.')
  }
}

/** The tree that LangChain makes for a call that nobody traces. */
function untracedTree(storage: ConfigStorage, own: ConfigStorage['runWithConfig']): unknown {
  const contexts = storage.getInstance()
  return contexts.run(undefined, () => own.call(storage, {}, () => contexts.getStore()))
}

function asksForContextsOnly(storage: ConfigStorage, own: ConfigStorage['runWithConfig']): boolean {
  const contexts = storage.getInstance()
  const config = {}
  try {
    const trees = new LateTrees(contexts, { config, make: () => undefined })
    const stored = own.call(trees, config, () => contexts.getStore(), true) as RunTree
    return stored.extra[CONFIG] === config
  } catch {
    return false
  }
}

function hasKnownForm(tree: unknown): boolean {
  const { extra, tracingEnabled } = (tree ?? {}) as Partial<RunTree>
  if (tracingEnabled !== false || !extra?.[CONFIG]) return false
  const { metadata, ...rest } = extra
  return Object.keys(rest).length === 0 && JSON.stringify(metadata) === '{}'
}

/** What is known of a tree before it is made. */
interface Known {
  extra: RunTree['extra']
  variables: unknown
  make(): unknown
  tree?: RunTree
}

function lateTree(known: Known): object {
  return new Proxy(known, handler)
}

/** The tree as it would have been made, but for its id and dates. */
function made(known: Known): RunTree {
  if (known.tree) return known.tree
  const tree = known.make() as RunTree
  tree.extra = known.extra
  if (known.variables !== undefined) tree[VARIABLES] = known.variables
  known.tree = tree
  return tree
}

/** LangChain itself asks for three things only. */
const handler: ProxyHandler<Known> = {
  get(known, key) {
    if (!known.tree) {
      if (key === 'extra') return known.extra
      if (key === 'tracingEnabled') return false
      if (key === VARIABLES) return known.variables
    }
    return Reflect.get(made(known), key)
  },
  set: (known, key, value) => Reflect.set(made(known), key, value),
  has: (known, key) => key === 'extra' || Reflect.has(made(known), key),
  deleteProperty: (known, key) => Reflect.deleteProperty(made(known), key),
  defineProperty: (known, key, property) => Reflect.defineProperty(made(known), key, property),
  getOwnPropertyDescriptor: (known, key) => Reflect.getOwnPropertyDescriptor(made(known), key),
  ownKeys: (known) => Reflect.ownKeys(made(known)),
  getPrototypeOf: (known) => Reflect.getPrototypeOf(made(known)),
}
