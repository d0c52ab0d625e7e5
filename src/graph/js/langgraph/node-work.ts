/**
 * Which functions of a graph are at work. When its signal aborts LangGraph ends the stream at once,
 * while the code of its nodes may go on; only this tells whether that code has ended too.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { currentOrigin, withOrigin } from '../../../core/origin.ts'
import type { Graph } from './graph.ts'

/**
 * The key of `configurable` that carries the run's `NodeWork`. LangGraph hands it on to subgraphs,
 * and keeps keys with two underscores out of metadata.
 */
export const WORK_KEY = '__runyard_work'

/** Who is told of nodes. */
export interface NodeWatcher {
  /** A node begins, with what LangGraph says of its task. What is answered is called with how it ended. */
  onNode(name: string, metadata: Record<string, unknown>): NodeEnd
  /** What the function hands on to models and tools, in place of LangChain's `callbacks`. */
  callbacksOf(callbacks: unknown): unknown
}

/** With what the node has failed; without it, it has not. */
export type NodeEnd = (failure?: { thrown: unknown }) => void

/** The functions of one run's nodes that have been called and have not ended. */
export class NodeWork {
  readonly #open = new Set<PromiseLike<unknown>>()
  readonly #onCall: () => void
  /** Absent: nobody is told. */
  readonly watcher: NodeWatcher | undefined

  /** `onCall` is called in the place of each function just before it. */
  constructor(onCall: () => void = () => {}, watcher?: NodeWatcher) {
    this.#onCall = onCall
    this.watcher = watcher
  }

  /** Settles when nothing is at work any more; never rejects. */
  async ended(): Promise<void> {
    while (this.#open.size > 0) await Promise.allSettled(this.#open)
  }

  /** Calls the function of the node; what it answers is what `call` answers. */
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
/** What nodes of the graphs that were looked through consist of. */
const bounds = new WeakSet<object>()

/**
 * Lets a `NodeWork` in a run's config see the functions of this graph, its subgraphs, and every
 * other graph of the same copy of LangGraph. Not seen are nodes that are no functions (a model by
 * itself), and what a function itself has left behind: LangChain's `tool` answers for its function as
 * soon as the signal aborts. Once is enough, more is harmless.
 */
export function watchNodes(graph: Graph): void {
  for (const node of Object.values(graph.nodes)) {
    const { bound } = node as { bound?: Partial<Graph> }
    if (isCallable(bound)) {
      watchClass(bound)
      bounds.add(bound)
    } else if (bound?.nodes) watchNodes(bound as Graph)
  }
}

/** Where the class, or what it extends, has its `invoke`: all that share it are watched. */
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
    // As LangChain does where it hands on callbacks: the name is the node's, not that of what it calls.
    const { runName: _, ...rest } = options ?? {}
    const given = { ...rest, callbacks: watcher.callbacksOf(rest.callbacks) }
    return told(watcher.onNode(node, rest.metadata ?? {}), () => call(given))
  }
}

/** A function in a node is told as the node: the choice of the next one is not. */
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

/** Whether all nodes of the graph and of those within it are functions, which are seen when they are called. */
export function hasOnlyFunctions(graph: Graph): boolean {
  return Object.values(graph.nodes).every((node) => {
    const { bound, tags } = node as { bound?: Partial<Graph>; tags?: string[] }
    if (tags?.includes(HIDDEN_TAG) || isCallable(bound)) return true
    return bound?.nodes !== undefined && hasOnlyFunctions(bound as Graph)
  })
}

/** LangGraph's own nodes, which do nothing. */
const HIDDEN_TAG = 'langsmith:hidden'

/** Whose functions are called: several runs share a graph, and with it the functions of its nodes. */
const atWork = new AsyncLocalStorage<{ work: NodeWork; node: string }>()

/**
 * In its own place: a copy of the callable would lack the private fields of its class, which agents of
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

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

function isCallable(value: unknown): value is Callable {
  if (typeof value !== 'object' || value === null) return false
  const { func, invoke } = value as Partial<Callable>
  const isMethod = !Object.hasOwn(value, 'invoke')
  return isMethod && typeof func === 'function' && typeof invoke === 'function'
}
