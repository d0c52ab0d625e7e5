/**
 * Adapts graphs of LangGraph before 1.3 to those of later lines, the only ones that the rest of the
 * server knows.
 *
 * | since | it has | before |
 * |---|---|---|
 * | 1.3.0 | places of checkpoints, with `version: 'v2'` | nothing like it |
 * | 0.4.0 | the option `durability` | `checkpointDuring`; before 0.3.6 every checkpoint is kept |
 * | 0.4.0 | `{id, value}` as an interrupt | more than that; the id under another name, before 0.3.6 none |
 * | 0.4.0 | an object as the result of a task | pairs of channel and value |
 * | 0.3.6 | the modes `tasks` and `checkpoints` | the same as parts of `debug` |
 *
 * How checkpoints themselves differ is in `js/checkpoints/sends.ts` and `js/checkpoints/values.ts`.
 */
import { isOlder } from '../../core/package-version.ts'
import type { Graph } from './langgraph/graph.ts'
import type { SnapshotConfig } from './langgraph/state.ts'

/** Options of LangGraph's `stream`. */
interface StreamOptions {
  streamMode: string[]
  durability?: string
  checkpointDuring?: boolean
  version?: string
}

type Stream = (options: StreamOptions) => Promise<AsyncIterable<Chunk>>

/** The same graph, changed; `version` is that of its LangGraph. Later lines are left as they are. */
export function asLaterLine(graph: Graph, version: string): Graph {
  if (!isOlder(version, '1.3.0')) return graph
  const ask = graph.stream.bind(graph)
  graph.stream = async (input, options) => {
    const own: Stream = async (of) => (await ask(input, of)) as AsyncIterable<Chunk>
    const later: Stream = isOlder(version, '0.4.0')
      ? (of) => streamOlder(own, of, { hasModes: !isOlder(version, '0.3.6') })
      : own
    return streamWithPlaces(later, options as StreamOptions)
  }
  return graph
}

async function streamWithPlaces(
  stream: Stream,
  options: StreamOptions,
): Promise<AsyncIterable<Chunk>> {
  const { version, streamMode } = options
  if (version !== 'v2' || streamMode.includes('checkpoints')) return stream(options)
  return withPlaces(await stream({ ...options, streamMode: [...streamMode, 'checkpoints'] }))
}

async function streamOlder(
  stream: Stream,
  options: StreamOptions,
  { hasModes }: { hasModes: boolean },
): Promise<AsyncIterable<Chunk>> {
  const chunks = await stream(olderOptions(options, hasModes))
  return laterChunks(chunks, hasModes ? undefined : options.streamMode)
}

function olderOptions(options: StreamOptions, hasModes: boolean): StreamOptions {
  const { durability, streamMode, ...rest } = options
  const modes = streamMode.map((mode) => (!hasModes && PARTS_OF_DEBUG.has(mode) ? 'debug' : mode))
  return {
    ...rest,
    streamMode: [...new Set(modes)],
    ...(durability !== undefined && { checkpointDuring: durability !== 'exit' }),
  }
}

const PARTS_OF_DEBUG = new Set(['tasks', 'checkpoints'])

/** `parts`: the requested modes; some of them arrive as parts of `debug`. */
async function* laterChunks(
  chunks: AsyncIterable<Chunk>,
  parts: string[] | undefined,
): AsyncIterable<Chunk> {
  for await (const chunk of chunks) {
    const { namespace, mode, payload } = partsOf(chunk)
    const told =
      mode === 'debug' && parts ? debugParts(payload as DebugPayload, parts) : [[mode, payload]]
    for (const [of, one] of told) yield [...namespace, of, laterPayload(of as string, one)]
  }
}

interface DebugPayload {
  type: 'checkpoint' | 'task' | 'task_result'
  payload: object
}

function debugParts(debug: DebugPayload, asked: string[]): [string, unknown][] {
  const part = debug.type === 'checkpoint' ? 'checkpoints' : 'tasks'
  const told: [string, unknown][] = [
    [part, debug.payload],
    ['debug', debug],
  ]
  return told.filter(([mode]) => asked.includes(mode))
}

function laterPayload(mode: string, payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null) return payload
  switch (mode) {
    case 'values':
    case 'updates':
      return '__interrupt__' in payload
        ? { ...payload, __interrupt__: laterInterrupts(payload.__interrupt__) }
        : payload
    case 'tasks':
      return laterTask(payload)
    case 'checkpoints':
      return laterCheckpoint(payload)
    case 'debug':
      return laterDebug(payload as DebugPayload)
    default:
      return payload
  }
}

function laterDebug({ type, payload, ...rest }: DebugPayload): object {
  const isTask = type !== 'checkpoint'
  return { type, ...rest, payload: isTask ? laterTask(payload) : laterCheckpoint(payload) }
}

function laterCheckpoint(payload: { tasks?: object[] }): object {
  return { ...payload, tasks: payload.tasks?.map(laterTask) }
}

function laterTask(task: { result?: unknown; interrupts?: unknown }): object {
  const { result, interrupts } = task
  return {
    ...task,
    ...(Array.isArray(result) && { result: laterResult(result as [string, unknown][]) }),
    ...(interrupts !== undefined && { interrupts: laterInterrupts(interrupts) }),
  }
}

/** Several writes to one channel are listed under `$writes`. */
function laterResult(writes: [string, unknown][]): object {
  const values = new Map<string, unknown[]>()
  for (const [channel, value] of writes) {
    values.set(channel, [...(values.get(channel) ?? []), value])
  }
  const entries = [...values].map(([channel, its]) => [
    channel,
    its.length === 1 ? its[0] : { $writes: its },
  ])
  return Object.fromEntries(entries)
}

function laterInterrupts(interrupts: unknown): unknown {
  return Array.isArray(interrupts) ? interrupts.map(laterInterrupt) : interrupts
}

/** `{id, value}`, whichever line wrote it. One from before 0.3.6 has no id. */
function laterInterrupt(interrupt: unknown): unknown {
  if (typeof interrupt !== 'object' || interrupt === null) return interrupt
  const { id, interrupt_id = id, value } = interrupt as Record<string, unknown>
  return { ...(interrupt_id !== undefined && { id: interrupt_id }), value }
}

/** `[mode, payload]`, or with subgraphs `[namespace, mode, payload]`. */
type Chunk = unknown[]

interface CheckpointPayload {
  config: SnapshotConfig
  parentConfig?: SnapshotConfig
  metadata?: { step?: number; source?: string }
}

/**
 * With `version: 'v2'`, LangGraph since 1.3 announces the checkpoint of the values that come next. Older versions emit
 * in mode `checkpoints` the whole checkpoint right after its values: this turns the second form into the first.
 */
async function* withPlaces(chunks: AsyncIterable<Chunk>): AsyncIterable<Chunk> {
  /** Values, held back for one chunk: the next may be their checkpoint. */
  let held: Chunk | undefined
  try {
    for await (const chunk of chunks) {
      const { namespace, mode, payload } = partsOf(chunk)
      const isTold = mode === 'checkpoints'
      if (isTold && held && isAlike(namespace, partsOf(held).namespace)) {
        yield [...namespace, mode, placeIn(payload as CheckpointPayload)]
      }
      if (held) yield held
      held = isCheckpointed(mode, payload) ? chunk : undefined
      if (!held && !isTold) yield chunk
    }
  } catch (error) {
    if (held) yield held
    throw error
  }
  if (held) yield held
}

/** `namespace`: a list with it, or an empty one. */
function partsOf(chunk: Chunk): { namespace: unknown[]; mode: string; payload: unknown } {
  const at = Array.isArray(chunk[0]) ? 1 : 0
  return { namespace: chunk.slice(0, at), mode: chunk[at] as string, payload: chunk[at + 1] }
}

/** An interrupt is emitted as values too, but has no checkpoint. */
function isCheckpointed(mode: string, payload: unknown): boolean {
  if (mode !== 'values') return false
  return typeof payload !== 'object' || payload === null || !('__interrupt__' in payload)
}

function isAlike(one: unknown[], other: unknown[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function placeIn({ config, parentConfig, metadata }: CheckpointPayload): object {
  const parent_id = parentConfig?.configurable?.checkpoint_id
  return {
    id: config.configurable?.checkpoint_id,
    ...(parent_id !== undefined && { parent_id }),
    step: metadata?.step,
    source: metadata?.source,
  }
}
