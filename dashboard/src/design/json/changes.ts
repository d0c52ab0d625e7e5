/** The differences between two JSON values, as a tree with only the changes. */
import {
  type AddedDelta,
  type ArrayDelta,
  create,
  type DeletedDelta,
  type Delta,
  type ModifiedDelta,
  type MovedDelta,
  type ObjectDelta,
} from 'jsondiffpatch'
import { isSame } from './same.ts'

/** `name`: the key, or the index in a list (for a removed entry, its old index). Empty for the root. */
export type Change =
  | { kind: 'added'; name: string; value: unknown }
  | { kind: 'removed'; name: string; value: unknown }
  | { kind: 'changed'; name: string; before: unknown; after: unknown }
  | { kind: 'moved'; name: string; from: string; value: unknown }
  /** Something inside it changed. `unchanged`: how many of its entries did not. */
  | { kind: 'within'; name: string; isList: boolean; changes: Change[]; unchanged: number }

/** Up to this many pairs, two lists are compared entry by entry; more would take seconds. */
const MAX_PAIRS = 1_000_000

const patcher = create({ objectHash: keyOfObject, cloneDiffValues: false })
patcher.processor.pipe('diff').before('arrays', replaceLongLists)

/** `undefined`: no difference. List entries are matched by their `id`, or by their content if they have none. */
export function changeBetween(before: unknown, after: unknown, name = ''): Change | undefined {
  if (before === after) return undefined
  if (before === undefined) return { kind: 'added', name, value: after }
  if (after === undefined) return { kind: 'removed', name, value: before }
  return changeOf(name, patcher.diff(before, after), before, after)
}

/** How many values were added, removed, moved or changed. */
export function countChanges(change: Change | undefined): number {
  if (!change) return 0
  if (change.kind !== 'within') return 1
  return change.changes.reduce((sum, one) => sum + countChanges(one), 0)
}

function changeOf(name: string, delta: Delta, before: unknown, after: unknown): Change | undefined {
  if (delta === undefined) return undefined
  if (isAdded(delta)) return { kind: 'added', name, value: delta[0] }
  if (isModified(delta)) return { kind: 'changed', name, before: delta[0], after: delta[1] }
  if (isMoved(delta)) return { kind: 'moved', name: String(delta[1]), from: name, value: before }
  if (isDeleted(delta)) return { kind: 'removed', name, value: before }
  if (isOfList(delta)) return changeOfList(name, delta, listOf(before), listOf(after))
  return changeOfObject(name, delta as ObjectDelta, recordOf(before), recordOf(after))
}

function changeOfObject(
  name: string,
  delta: ObjectDelta,
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Change {
  const changes = Object.entries(delta).flatMap(
    ([key, one]) => changeOf(key, one, before[key], after[key]) ?? [],
  )
  const unchanged = Object.keys(after).filter((key) => !Object.hasOwn(delta, key)).length
  return { kind: 'within', name, isList: false, changes, unchanged }
}

/** The delta's keys are indexes after the change; keys with a leading `_` are indexes before it. */
function changeOfList(
  name: string,
  delta: ArrayDelta,
  before: unknown[],
  after: unknown[],
): Change {
  const entries = Object.entries(delta).filter(([key]) => key !== '_t') as [string, Delta][]
  const known = new Map(entries)
  const changes = entries.flatMap(([key, one]) => {
    const place = key.replace('_', '')
    const [was, is] = [before[Number(place)], after[Number(place)]]
    if (!isRewritten(known.get(`_${place}`), known.get(place), was, is))
      return changeOf(place, one, was, is) ?? []
    return key.startsWith('_') ? [] : (changeBetween(was, is, place) ?? [])
  })
  const placed = changes.filter(({ kind }) => kind !== 'removed').length
  return {
    kind: 'within',
    name,
    isList: true,
    changes: changes.toSorted((a, b) => Number(a.name) - Number(b.name) || rank(a) - rank(b)),
    unchanged: after.length - placed,
  }
}

/** An entry was removed and another is at its index. If neither has an id, they count as one changed entry. */
function isRewritten(gone: Delta, came: Delta, was: unknown, is: unknown): boolean {
  if (!gone || !came || !isDeleted(gone) || !isAdded(came)) return false
  return idOf(was) === undefined && idOf(is) === undefined && isObject(was) === isObject(is)
}

/** A removed entry comes before the one that replaced it. */
function rank(change: Change): number {
  return change.kind === 'removed' ? 0 : 1
}

/**
 * A comparison takes time by the product of both lengths, so long lists that differ are shown as replaced. Equal lists,
 * as most are at the next step, are not compared entry by entry.
 */
function replaceLongLists(context: {
  left?: unknown
  right?: unknown
  setResult(result: Delta): { exit(): unknown }
}): void {
  const { left, right } = context
  if (!Array.isArray(left) || !Array.isArray(right)) return
  if (isSame(left, right)) return void context.setResult(undefined).exit()
  if (left.length * right.length <= MAX_PAIRS) return
  const [a, b] = [left.map(keyOf), right.map(keyOf)]
  const most = Math.min(a.length, b.length)
  let head = 0
  while (head < most && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1
  const pairs = (a.length - head - tail) * (b.length - head - tail)
  if (pairs > MAX_PAIRS) context.setResult([left, right]).exit()
}
replaceLongLists.filterName = 'long-lists'

function keyOf(entry: unknown): unknown {
  return isObject(entry) ? keyOfObject(entry) : entry
}

function keyOfObject(entry: object): string {
  return idOf(entry) ?? JSON.stringify(entry)
}

/** The id of a message, tool call or interrupt; for a tool result, the id of its call. */
function idOf(entry: unknown): string | undefined {
  if (!isObject(entry)) return undefined
  const { id, tool_call_id } = entry as Record<string, unknown>
  const known = id ?? tool_call_id
  return typeof known === 'string' ? known : undefined
}

function isAdded(delta: Delta): delta is AddedDelta {
  return Array.isArray(delta) && delta.length === 1
}

function isModified(delta: Delta): delta is ModifiedDelta {
  return Array.isArray(delta) && delta.length === 2
}

function isMoved(delta: Delta): delta is MovedDelta {
  return Array.isArray(delta) && delta[2] === 3
}

function isDeleted(delta: Delta): delta is DeletedDelta {
  return Array.isArray(delta) && delta.length === 3 && delta[2] === 0
}

function isOfList(delta: Delta): delta is ArrayDelta {
  return typeof delta === 'object' && '_t' in delta && delta._t === 'a'
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function recordOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? (value as Record<string, unknown>) : {}
}
