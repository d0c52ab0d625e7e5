import { describe, expect, it } from 'vitest'
import { branchesOf, currentBranch, pathTo } from './branches.ts'
import type { HistoryRow } from './history-page.ts'

function row(id: string, parentId?: string): HistoryRow {
  const [step, source, next, interrupts] = [0, 'loop', [], []]
  return { id, parentId, step, source, runId: undefined, next, interrupts, createdAt: undefined }
}

const ids = (rows: readonly HistoryRow[]) => rows.map(({ id }) => id)

/** 1 ─ 2 ─ 3 ─ 4, with 5 ─ 6 from 2 and 7 from 5. */
const rows = [
  row('7', '5'),
  row('6', '5'),
  row('5', '2'),
  row('4', '3'),
  row('3', '2'),
  row('2', '1'),
  row('1'),
]

describe('the branches of a history', () => {
  it('are one where each checkpoint has one child', () => {
    const { all } = branchesOf(rows.slice(3))
    expect(all).toHaveLength(1)
    expect(all[0]).toMatchObject({ number: 1, tip: { id: '4' }, forkedFrom: undefined })
  })

  it('go off where a checkpoint has a second child, and nest', () => {
    const { roots } = branchesOf(rows)
    expect(roots).toHaveLength(1)
    const [original] = roots
    expect(ids(original?.rows ?? [])).toEqual(['1', '2', '3', '4'])
    const second = original?.branches[0]
    expect(second).toMatchObject({ number: 2, forkedFrom: { id: '2' }, tip: { id: '6' } })
    expect(second?.branches[0]).toMatchObject({ number: 3, forkedFrom: { id: '5' } })
  })

  it('begin where the loaded part begins', () => {
    const { roots } = branchesOf(rows.slice(0, 4))
    expect(roots.map(({ tip }) => tip.id)).toEqual(['4', '6'])
  })

  it('lead back to the beginning', () => {
    expect(ids(pathTo(rows, row('7', '5')))).toEqual(['7', '5', '2', '1'])
  })

  it('are looked at by what is selected and what was chosen', () => {
    const tree = branchesOf(rows)
    const number = (at: { checkpoint?: string; chosen?: string }) =>
      currentBranch(tree, rows, at)?.number
    expect(number({})).toBe(3)
    expect(number({ chosen: '3' })).toBe(3)
    expect(number({ checkpoint: '3' })).toBe(1)
    expect(number({ checkpoint: '2' })).toBe(3)
    expect(number({ checkpoint: '2', chosen: '6' })).toBe(2)
    expect(number({ checkpoint: '4', chosen: '6' })).toBe(1)
    expect(number({ checkpoint: 'unknown' })).toBeUndefined()
  })
})
