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

/** The functions of one run's nodes that have been called and have not ended. */
export class NodeWork {
  readonly #open = new Set<PromiseLike<unknown>>()
  readonly #onCall: () => void

  /** `onCall` is called in the place of each function just before it. */
  constructor(onCall: () => void = () => {}) {
    this.#onCall = onCall
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
  configurable?: Record<string, unknown>
  metadata?: Record<string, unknown>
}

const watched = new WeakSet<object>()

/**
 * Lets a `NodeWork` in a run's config see the functions of this graph, its subgraphs, and every
 * other graph of the same copy of LangGraph. Not seen are nodes that are no functions (a model by
 * itself), and what a function itself has left behind: LangChain's `tool` answers for its function as
 * soon as the signal aborts. Once is enough, more is harmless.
 */
export function watchNodes(graph: Graph): void {
  for (const node of Object.values(graph.nodes)) {
    const { bound } = node as { bound?: Partial<Graph> }
    if (isCallable(bound)) watchClass(bound)
    else if (bound?.nodes) watchNodes(bound as Graph)
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
    return atWork.run({ work, node }, () => invoke.call(this, input, options))
  }
}

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
