/**
 * Tracks which functions of a graph are running. When its signal aborts, LangGraph ends the stream at once while node
 * code may go on; only this module knows when that code has ended too.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { currentOrigin, withOrigin } from '../../../core/origin.ts'
import { type Graph, HIDDEN_TAG } from '../langgraph/graph.ts'
import { isPatched } from './patches.ts'

/**
 * The key of `configurable` that carries the run's `NodeWork`. LangGraph hands it on to subgraphs,
 * and keeps keys with two underscores out of metadata.
 */
export const WORK_KEY = '__runyard_work'

/** Observes the nodes of a run. */
export interface NodeWatcher {
  /** A node begins, with LangGraph's metadata of its task. The returned function is called when it ends. */
  onNode(name: string, metadata: Record<string, unknown>): NodeEnd
  /** The callbacks that the function passes on to models and tools, in place of LangChain's `callbacks`. */
  callbacksOf(callbacks: unknown): unknown
}

/** Takes the node's failure; none if it succeeded. */
export type NodeEnd = (failure?: { thrown: unknown }) => void

/** The functions of one run's nodes that have been called and have not ended. */
export class NodeWork {
  readonly #open = new Set<PromiseLike<unknown>>()
  readonly #onCall: () => void
  /** Absent: nodes are not observed. */
  readonly watcher: NodeWatcher | undefined

  /** `onCall` is called just before each function, with the function's origin. */
  constructor(onCall: () => void = () => {}, watcher?: NodeWatcher) {
    this.#onCall = onCall
    this.watcher = watcher
  }

  /** Resolves when no function is running; never rejects. */
  async ended(): Promise<void> {
    while (this.#open.size > 0) await Promise.allSettled(this.#open)
  }

  /** Calls the node's function and returns its result. */
  call<T>(node: string, work: () => T): T {
    const answer = withOrigin({ ...currentOrigin(), node }, () => {
      this.#onCall()
      return work()
    })
    if (isPromise(answer)) this.#add(answer)
    return answer
  }

  #add(promise: PromiseLike<unknown>): void {
    const done = () => void this.#open.delete(promise)
    this.#open.add(promise)
    promise.then(done, done)
  }
}

type NodeFunction = (...args: unknown[]) => unknown

/** What LangGraph makes of a function: a node, a task of its functional API, a branch. */
interface Callable {
  name?: string
  func: NodeFunction
  invoke(input: unknown, options?: CallOptions): Promise<unknown>
}

interface CallOptions {
  callbacks?: unknown
  runName?: string
  configurable?: Record<string, unknown>
  metadata?: Record<string, unknown>
}

const watched = new WeakSet<object>()
/** The callables of nodes of the graphs that were searched. */
const bounds = new WeakSet<object>()

/**
 * Lets a `NodeWork` in a run's config track the functions of this graph, its subgraphs, and every other graph of the
 * same copy of LangGraph. It does not track nodes that are no functions (a model by itself), or work that a function
 * left behind: LangChain's `tool` returns as soon as the signal aborts. Repeated calls are harmless.
 */
export function watchNodes(graph: Graph): void {
  if (!isPatched('node-work')) return
  for (const node of Object.values(graph.nodes)) {
    const { bound } = node as { bound?: Partial<Graph> }
    if (isCallable(bound)) {
      watchClass(bound)
      bounds.add(bound)
    } else if (bound?.nodes) watchNodes(bound as Graph)
  }
}

/** Patches the class that defines `invoke`, so that all classes that inherit it are watched. */
function watchClass(callable: Callable): void {
  let prototype: Callable = Object.getPrototypeOf(callable)
  while (!Object.hasOwn(prototype, 'invoke')) prototype = Object.getPrototypeOf(prototype)
  if (watched.has(prototype)) return
  watched.add(prototype)
  const { invoke } = prototype
  prototype.invoke = function (this: Callable, input, options) {
    const work = options?.configurable?.[WORK_KEY]
    if (!(work instanceof NodeWork)) return invoke.call(this, input, options)
    watchFunction(this)
    const node = String(options?.metadata?.langgraph_node ?? this.name)
    const { watcher } = work
    const call = (given = options) =>
      atWork.run({ work, node }, () => invoke.call(this, input, given))
    const isNode = bounds.has(this) || this.name === node
    if (!watcher || !isNode) return call()
    // As LangChain does when it passes on callbacks: the name is the node's, not that of what it calls.
    const { runName: _, ...rest } = options ?? {}
    const given = { ...rest, callbacks: watcher.callbacksOf(rest.callbacks) }
    return told(watcher.onNode(node, rest.metadata ?? {}), () => call(given))
  }
}

/** Reports how the node's function ended; the choice of the next node is not reported. */
async function told<T>(end: NodeEnd, work: () => Promise<T>): Promise<T> {
  try {
    const answer = await work()
    end()
    return answer
  } catch (thrown) {
    end({ thrown })
    throw thrown
  }
}

/** Whether all nodes of the graph and its subgraphs are functions, whose calls are tracked. */
export function hasOnlyFunctions(graph: Graph): boolean {
  if (!isPatched('node-work')) return false
  return Object.values(graph.nodes).every((node) => {
    const { bound, tags } = node as { bound?: Partial<Graph>; tags?: string[] }
    if (tags?.includes(HIDDEN_TAG) || isCallable(bound)) return true
    return bound?.nodes !== undefined && hasOnlyFunctions(bound as Graph)
  })
}

/** The run that calls a function: several runs share a graph, and with it the functions of its nodes. */
const atWork = new AsyncLocalStorage<{ work: NodeWork; node: string }>()

/**
 * Replaces the function in place: a copy of the callable would lack the private fields of its class, which agents of
 * the package `langchain` write to.
 */
function watchFunction(callable: Callable): void {
  const { func } = callable
  if (watched.has(func)) return
  const seen: NodeFunction = function (this: unknown, ...args) {
    const call = () => func.apply(this, args)
    const { work, node } = atWork.getStore() ?? {}
    return work && node !== undefined ? work.call(node, call) : call()
  }
  watched.add(seen)
  callable.func = seen
}

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

function isCallable(value: unknown): value is Callable {
  if (typeof value !== 'object' || value === null) return false
  const { func, invoke } = value as Partial<Callable>
  const isMethod = !Object.hasOwn(value, 'invoke')
  return isMethod && typeof func === 'function' && typeof invoke === 'function'
}
