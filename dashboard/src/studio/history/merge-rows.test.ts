import { describe, expect, it } from 'vitest'
import type { HistoryPage, HistoryRow } from './history-page.ts'
import { extendHistory, PAGE_SIZE, refreshHistory } from './merge-rows.ts'

/** A server that has `count` checkpoints, and notes what it was asked. */
function serverOf(count: number) {
  const asked: number[] = []
  const all = Array.from({ length: count }, (_, n) => rowOf(n)).toReversed()
  const read = async (page: { limit: number; before?: string | undefined }) => {
    asked.push(page.limit)
    const older = all.filter(({ id }) => page.before === undefined || id < page.before)
    const rows = older.slice(0, page.limit)
    return { rows, hasMore: rows.length === page.limit } satisfies HistoryPage
  }
  return { read, asked }
}

function rowOf(n: number): HistoryRow {
  const id = String(n).padStart(5, '0')
  const [source, next, interrupts] = ['loop', [], []]
  return {
    id,
    parentId: undefined,
    step: n,
    source,
    runId: undefined,
    next,
    interrupts,
    createdAt: undefined,
  }
}

const steps = (rows: readonly HistoryRow[]) => rows.map(({ step }) => step)

describe('a history that is known in part', () => {
  it('begins with a page, and goes on by pages to the end', async () => {
    const { read } = serverOf(PAGE_SIZE + 20)
    const first = await refreshHistory(undefined, read)
    expect(first.rows).toHaveLength(PAGE_SIZE)
    expect(first.hasMore).toBe(true)
    const whole = await extendHistory(first, read)
    expect(steps(whole.rows)).toEqual(
      Array.from({ length: PAGE_SIZE + 20 }, (_, n) => PAGE_SIZE + 19 - n),
    )
    expect(whole.hasMore).toBe(false)
  })

  it('takes in what is new, and asks for little where little is', async () => {
    const known = await refreshHistory(undefined, serverOf(50).read)
    const server = serverOf(52)
    const next = await refreshHistory(known, server.read)
    expect(steps(next.rows).slice(0, 3)).toEqual([51, 50, 49])
    expect(next.rows).toHaveLength(52)
    expect(server.asked).toEqual([5])
  })

  it('leaves no gap where much is new', async () => {
    const known = await refreshHistory(undefined, serverOf(10).read)
    const next = await refreshHistory(known, serverOf(300).read)
    expect(steps(next.rows)).toEqual(Array.from({ length: 300 }, (_, n) => 299 - n))
  })

  it('is the same object where nothing is new', async () => {
    const { read } = serverOf(10)
    const known = await refreshHistory(undefined, read)
    expect(await refreshHistory(known, read)).toBe(known)
  })

  it('takes a row anew that has changed', async () => {
    const { read } = serverOf(3)
    const known = await refreshHistory(undefined, read)
    const changed = { ...known, rows: known.rows.with(0, { ...rowOf(2), next: ['old'] }) }
    expect((await refreshHistory(changed, read)).rows[0]?.next).toEqual([])
  })
})
