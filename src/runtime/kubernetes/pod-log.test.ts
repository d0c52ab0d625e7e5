import { expect, it } from 'vitest'
import { lastLinesOf } from './pod-log.ts'

const REF = { namespace: 'agents', pod: 'one', container: 'fetch' }

/** A container that says a line at its end and is started again before the look of this number. */
function containerOf(restartsBefore: number) {
  let looks = 0
  return {
    async lastLines(_ref: unknown, isPrevious: boolean): Promise<string[]> {
      looks += 1
      const wasRestarted = looks >= restartsBefore
      return isPrevious === wasRestarted ? ['the digest is another one'] : []
    },
  }
}

it.each([
  ['before the first look', 1],
  ['between the looks', 2],
  ['before the third look', 3],
  ['after all looks', 4],
])('finds what a container said that is started again %s', async (_when, restartsBefore) => {
  const ended = { isPrevious: false, isFirst: true }
  const lines = await lastLinesOf(containerOf(restartsBefore), REF, ended)
  expect(lines).toEqual(['the digest is another one'])
})

it.each([
  ['before the first look', 1],
  ['between the looks', 2],
])('finds what one said that has ended more than once, %s', async (_when, restartsBefore) => {
  const ended = { isPrevious: false, isFirst: false }
  const lines = await lastLinesOf(containerOf(restartsBefore), REF, ended)
  expect(lines).toEqual(['the digest is another one'])
})

it('looks only at the one before where that is the one that ended', async () => {
  const ended = { isPrevious: true, isFirst: false }
  expect(await lastLinesOf(containerOf(1), REF, ended)).toEqual(['the digest is another one'])
  expect(await lastLinesOf(containerOf(9), REF, ended)).toEqual([])
})
