/**
 * Plays graphs that are scripts: nodes one after the other, on checkpoints of a form of their own. It is written
 * against the port for graph hosts alone, as a host in any language could be.
 */
import { createHash } from 'node:crypto'
import type { GraphCheckpoints } from '../../../src/core/agent/checkpoint.ts'
import type { HostCalls } from '../../../src/core/agent/host/calls.ts'
import type { Emission } from '../../../src/core/agent/host/emission.ts'
import type { GraphConfig } from '../../../src/core/agent/host/graph-host.ts'
import { growthOf } from '../../../src/core/agent/host/growth.ts'
import type { GraphRunRequest } from '../../../src/core/agent/host/run.ts'
import type { Interrupt } from '../../../src/core/agent/thread.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../src/core/json.ts'
import {
  after,
  bytesOf,
  merged,
  nextId,
  type Position,
  putPosition,
  readPosition,
  taskId,
} from './scripted-states.ts'

/** Nodes by name, in their order. A node answers what it changes, or is a graph of its own. */
export type Script = { [node: string]: ((self: NodeSelf) => Promise<JsonObject>) | Script }

export interface NodeSelf {
  state: JsonObject
  config: GraphConfig
  context: JsonValue
  signal: AbortSignal
  calls: HostCalls
  /** As a writer of custom events does. */
  write(payload: JsonValue): void
  /** As a model does that writes a message in pieces. Answers all of it. */
  say(id: string, pieces: string[]): JsonObject
  /** As a tool does. */
  tool(name: string, input: JsonValue, output: JsonValue): void
  /** The answer; the first time the run stops here. */
  ask(value: JsonValue): JsonValue
}

class Asked extends Error {
  readonly interrupt: Interrupt
  constructor(interrupt: Interrupt) {
    super('A node has asked.')
    this.interrupt = interrupt
  }
}

export class ScriptedPlayer {
  readonly #request: GraphRunRequest
  readonly #config: GraphConfig
  readonly #signal: AbortSignal
  readonly #checkpoints: GraphCheckpoints
  readonly #calls: HostCalls
  /** The ids of the messages that have stood in a state. */
  readonly #complete = new Set<string>()

  constructor(
    request: GraphRunRequest,
    config: GraphConfig,
    parts: { signal: AbortSignal; checkpoints: GraphCheckpoints; calls: HostCalls },
  ) {
    this.#request = request
    this.#config = config
    this.#signal = parts.signal
    this.#checkpoints = parts.checkpoints
    this.#calls = parts.calls
  }

  /** Goes on when the next batch is pulled. */
  async *play(script: Script): AsyncGenerator<Emission[]> {
    const { command, input } = this.#request
    const given = command ? null : (input as JsonObject | null)
    yield this.#told([], 'events', { event: 'on_chain_start', run_id: this.#request.run_id })
    try {
      yield* this.#graph(script, [], given)
    } catch (error) {
      if (!(error instanceof Asked)) throw error
    }
  }

  async *#graph(
    script: Script,
    namespace: string[],
    input: JsonObject | null,
  ): AsyncGenerator<Emission[], JsonObject> {
    let at = await this.#begin(namespace)
    const names = Object.keys(script)
    const isFresh = input !== null && (namespace.length === 0 || at.id === undefined)
    if (isFresh) {
      at = yield* this.#save(namespace, at, 'input', {
        state: merged(at.state, input),
        next: names.slice(0, 1),
      })
    }
    for (let taken = isFresh ? 1 : 0; at.next.length > 0; taken += 1) {
      const [name = ''] = at.next
      if (taken > 0 && this.#stopsBefore(name)) return at.state
      const update = yield* this.#task(script, name, namespace, at)
      if (this.#signal.aborted) return at.state
      const state = merged(at.state, update)
      at = yield* this.#save(namespace, at, 'loop', { state, next: after(names, name) })
    }
    return at.state
  }

  async *#task(
    script: Script,
    name: string,
    namespace: string[],
    { id: from, state }: Position,
  ): AsyncGenerator<Emission[], JsonObject> {
    const id = taskId(from, name)
    const about = { id, name, interrupts: [] as JsonValue[] }
    yield this.#told(namespace, 'tasks', { ...about, input: state, triggers: [] })
    const told: Emission[] = []
    try {
      const update = yield* this.#work(script[name], [...namespace, `${name}:${id}`], state, told)
      yield told
      if (this.#signal.aborted) return {}
      yield this.#told(namespace, 'updates', { [name]: update })
      yield this.#told(namespace, 'tasks', { ...about, result: update, error: null })
      return update
    } catch (error) {
      yield told
      if (!(error instanceof Asked)) throw error
      const interrupt = { ...error.interrupt }
      if (typeof script[name] === 'function') {
        const key = { ...this.#placeOf(namespace), checkpoint_id: String(from) }
        const write = { task_id: id, channel: '__interrupt__', idx: -3, ...bytesOf([interrupt]) }
        await this.#checkpoints.putWrites(key, [write])
      }
      yield this.#told(namespace, 'updates', { __interrupt__: [interrupt] })
      yield this.#told(namespace, 'values', { __interrupt__: [interrupt] })
      throw error
    }
  }

  async *#work(
    node: Script[string] | undefined,
    namespace: string[],
    state: JsonObject,
    told: Emission[],
  ): AsyncGenerator<Emission[], JsonObject> {
    if (typeof node !== 'function') {
      const left = yield* this.#graph(node ?? {}, namespace, state)
      return Object.fromEntries(Object.entries(left).filter(([key, value]) => state[key] !== value))
    }
    const { thread_id } = this.#config.configurable
    const [name] = (namespace.at(-1) ?? '').split(':')
    this.#calls.onNode({ thread_id: String(thread_id), run_id: this.#request.run_id, node: name })
    return node(this.#selfOf(namespace, state, told))
  }

  #selfOf(namespace: string[], state: JsonObject, told: Emission[]): NodeSelf {
    const above = namespace.slice(0, -1)
    const node = String(namespace.at(-1)).split(':')[0] as string
    return {
      state,
      config: this.#config,
      context: this.#request.context,
      signal: this.#signal,
      calls: this.#calls,
      write: (payload) => void told.push(...this.#told(above, 'custom', payload)),
      say: (id, pieces) => this.#say(namespace, { id, node }, pieces, told),
      tool: (name, input, output) => {
        const about = { toolCallId: `${name}-1`, name }
        const begun = { event: 'on_tool_start', ...about, input }
        told.push(...this.#told(namespace, 'tools', begun))
        told.push(...this.#told(namespace, 'tools', { event: 'on_tool_end', ...about, output }))
      },
      ask: (value) => this.#answer(namespace, value),
    }
  }

  #say(
    namespace: string[],
    { id, node }: { id: string; node: string },
    pieces: string[],
    told: Emission[],
  ): JsonObject {
    const metadata = { langgraph_node: node }
    let whole: JsonObject = { id, type: 'ai', content: '' }
    pieces.forEach((content, place) => {
      const message = { id, type: 'ai', content }
      const before = whole
      whole = { ...whole, content: `${before.content}${content}` }
      told.push(
        ...this.#told(namespace, 'messages-tuple', { message, metadata, isPiece: true }),
        ...this.#told(
          namespace,
          'messages',
          place === 0
            ? { kind: 'begun', message: whole, metadata }
            : { kind: 'grown', id, growth: growthOf(before, whole) ?? null },
        ),
      )
    })
    told.push(...this.#told([], 'model_ends', { id, pieces: pieces.length }))
    return whole
  }

  #answer(namespace: string[], value: JsonValue): JsonValue {
    const id = createHash('md5').update(namespace.join('|')).digest('hex')
    const resume = this.#request.command?.resume
    const answer = isObject(resume) && id in resume ? resume[id] : resume
    if (answer === undefined || answer === null) throw new Asked({ id, value })
    return answer
  }

  #stopsBefore(name: string): boolean {
    const { interrupt_before: before } = this.#request
    return before === '*' || before?.includes(name) === true
  }

  #placeOf(namespace: string[]): { thread_id: string; checkpoint_ns: string } {
    const { thread_id } = this.#config.configurable
    return { thread_id: String(thread_id), checkpoint_ns: namespace.join('|') }
  }

  #begin(namespace: string[]): Promise<Position> {
    const { checkpoint_id } = this.#config.configurable
    const isNamed = namespace.length === 0 && typeof checkpoint_id === 'string'
    const named = isNamed ? { checkpoint_id } : {}
    return readPosition(this.#checkpoints, { ...this.#placeOf(namespace), ...named })
  }

  /** Tells of the checkpoint, and stores it when that is taken. */
  async *#save(
    namespace: string[],
    { id: parent, step: before }: Position,
    source: string,
    { state, next }: Pick<Position, 'state' | 'next'>,
  ): AsyncGenerator<Emission[], Position> {
    const place = { ...this.#placeOf(namespace), source, run_id: this.#request.run_id, parent }
    const saved = { id: nextId(), step: before + 1, state, next }
    const { id, step } = saved
    const about = { id, ...(parent !== undefined && { parent_id: parent }), step, source }
    const checkpoint = { checkpoint: { ...this.#placeOf(namespace), checkpoint_id: id }, next }
    const added = messagesIn(state).filter(({ id: one }) => !this.#complete.has(String(one)))
    for (const { id: one } of added) this.#complete.add(String(one))
    yield [
      ...this.#told(namespace, 'places', about),
      ...this.#told(namespace, 'values', state),
      ...(added.length > 0
        ? this.#told(namespace, 'messages', { kind: 'complete', messages: added, isLast: false })
        : []),
      ...this.#told(namespace, 'checkpoints', { ...checkpoint, values: state }),
      ...this.#told(namespace, 'debug', { type: 'checkpoint', payload: checkpoint }),
    ]
    await putPosition(this.#checkpoints, saved, place)
    return saved
  }

  /** None where nobody wants it. */
  #told(namespace: string[], mode: Emission['mode'], payload: unknown): Emission[] {
    const { modes, subgraphs } = this.#request
    const isTask = mode === 'tasks' && modes.includes('lifecycle')
    if (!modes.includes(mode) && !isTask) return []
    const isUnscoped = ['custom', 'messages', 'messages-tuple', 'tools'].includes(mode)
    const isNode = ['messages', 'messages-tuple', 'tools'].includes(mode)
    const shown = subgraphs || isTask ? namespace : []
    if (!subgraphs && !isTask && !isUnscoped && namespace.length > 0) return []
    const own = isNode && mode !== 'messages-tuple' && mode !== 'tools' ? shown.slice(0, -1) : shown
    return [{ namespace: own, mode, payload } as Emission]
  }
}

function messagesIn({ messages }: JsonObject): JsonObject[] {
  return Array.isArray(messages) ? messages.filter(isObject) : []
}
