/** Where scripted graphs keep how far they are: checkpoints of a form of their own, behind the port. */
import { createHash } from 'node:crypto'
import type { CheckpointRecord, GraphCheckpoints } from '../../../src/core/agent/checkpoint.ts'
import type { StatePlace, StateQuery, Superstep } from '../../../src/core/agent/host/states.ts'
import { EMPTY_STATE, type Interrupt, type ThreadState } from '../../../src/core/agent/thread.ts'
import type { JsonObject, JsonValue } from '../../../src/core/json.ts'

/** How far a graph is. */
export interface Position {
  id: string | undefined
  state: JsonObject
  next: string[]
  step: number
}

/** The state at the place. */
export async function readScripted(
  checkpoints: GraphCheckpoints,
  place: StatePlace,
): Promise<ThreadState> {
  const { thread_id, checkpoint_ns = '', checkpoint_id } = place
  const at = { thread_id, checkpoint_ns, ...(checkpoint_id !== undefined && { checkpoint_id }) }
  const record = await checkpoints.get(at)
  return record ? stateOf(record) : EMPTY_STATE
}

function stateOf(record: CheckpointRecord): ThreadState {
  const { thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id: parent } = record
  const { state, next } = positionOf(record)
  const tasks = next.map((name) => {
    const id = taskId(checkpoint_id, name)
    const writes = record.writes.filter(({ task_id }) => task_id === id)
    const interrupts = writes.flatMap(({ bytes }) => readBytes(bytes) as unknown as Interrupt[])
    return { id, name, error: null, interrupts, checkpoint: null, state: null, result: null }
  })
  const placeOf = (id: string) => ({
    thread_id,
    checkpoint_ns,
    checkpoint_id: id,
    checkpoint_map: null,
  })
  return {
    values: state,
    next,
    tasks,
    checkpoint: placeOf(checkpoint_id),
    metadata: record.metadata,
    created_at: null,
    parent_checkpoint: parent === null ? null : placeOf(parent),
    interrupts: tasks.flatMap(({ interrupts }) => interrupts),
  }
}

/** Newest first. */
export async function* listScripted(
  checkpoints: GraphCheckpoints,
  { thread_id, checkpoint_ns = '', checkpoint_id }: StatePlace,
  query: StateQuery,
): AsyncGenerator<ThreadState> {
  const named = checkpoint_id !== undefined && { checkpoint_id }
  const records = await checkpoints.list({ thread_id, checkpoint_ns, ...named, ...query })
  for (const record of records) yield stateOf(record)
}

/** Changes the state as if the nodes had answered this. */
export async function updateScripted(
  checkpoints: GraphCheckpoints,
  script: object,
  { thread_id, checkpoint_ns = '', checkpoint_id }: StatePlace,
  supersteps: Superstep[],
): Promise<StatePlace> {
  const names = Object.keys(script)
  let at: Position = await readPosition(checkpoints, { thread_id, checkpoint_ns, checkpoint_id })
  for (const { as_node, values } of supersteps.flatMap(({ updates }) => updates)) {
    const isKnown = as_node === undefined || names.includes(as_node)
    if (!isKnown) throw new Error(`There is no node "${as_node}".`)
    const next = as_node === undefined ? at.next : after(names, as_node)
    const state = merged(at.state, values as JsonObject)
    at = { id: nextId(), state, next, step: at.step + 1 }
    await putPosition(checkpoints, at, { thread_id, checkpoint_ns, source: 'update', run_id: null })
  }
  return { thread_id, checkpoint_ns, checkpoint_id: String(at.id) }
}

/** Which node comes next, if one does. */
export function after(names: string[], node: string): string[] {
  const place = names.indexOf(node) + 1
  return names.slice(place, place + 1)
}

interface Source {
  thread_id: string
  checkpoint_ns: string
  run_id: string | null
  source: string
  parent?: string | undefined
}

export async function putPosition(
  checkpoints: GraphCheckpoints,
  { id, state, next, step }: Position,
  { thread_id, checkpoint_ns, run_id, source, parent }: Source,
): Promise<void> {
  const key = { thread_id, checkpoint_ns, checkpoint_id: String(id) }
  const metadata = { source, step, ...(run_id !== null && { run_id }) }
  const checkpoint = bytesOf({ next, step })
  const value = { channel: 'state', version: String(id), ...bytesOf(state) }
  await checkpoints.put(
    { ...key, parent_checkpoint_id: parent ?? null, run_id, checkpoint, metadata },
    { state: String(id) },
    [value],
  )
}

export async function readPosition(
  checkpoints: GraphCheckpoints,
  place: { thread_id: string; checkpoint_ns: string; checkpoint_id?: string | undefined },
): Promise<Position> {
  const { checkpoint_id, ...at } = place
  const record = await checkpoints.get({ ...at, ...(checkpoint_id && { checkpoint_id }) })
  return record ? positionOf(record) : { id: undefined, state: {}, next: [], step: -2 }
}

function positionOf(record: CheckpointRecord): Position {
  const { next, step } = readBytes(record.checkpoint.bytes) as unknown as Position
  const [value] = record.values
  const state = value ? (readBytes(value.bytes) as JsonObject) : {}
  return { id: record.checkpoint_id, state, next, step }
}

/** Lists are added to. */
export function merged(state: JsonObject, update: JsonObject): JsonObject {
  const entries = Object.entries(update).map(([key, value]): [string, JsonValue] => {
    const before = state[key]
    return [key, Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value]
  })
  return { ...state, ...Object.fromEntries(entries) }
}

/** The same for a task that is done again. */
export function taskId(from: string | undefined, name: string): string {
  return createHash('md5').update(`${from} ${name}`).digest('hex')
}

let count = 0

/** Later ones come behind. */
export function nextId(): string {
  count += 1
  return `${String(Date.now()).padStart(15, '0')}-${String(count).padStart(9, '0')}`
}

export function bytesOf(value: unknown): { type: string; bytes: Uint8Array } {
  return { type: 'json', bytes: new TextEncoder().encode(JSON.stringify(value)) }
}

function readBytes(bytes: Uint8Array): JsonValue {
  return JSON.parse(new TextDecoder().decode(bytes)) as JsonValue
}
