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
  ['before the first look', 1, true],
  ['between the looks', 2, true],
  ['before the third look', 3, true],
  ['after all looks', 4, true],
  ['before the first look, not for the first time', 1, false],
  ['between the looks, not for the first time', 2, false],
])(
  'finds what a container said that is started again %s',
  async (_when, restartsBefore, isFirst) => {
    const lines = await lastLinesOf(containerOf(restartsBefore), REF, {
      isPrevious: false,
      isFirst,
    })
    expect(lines).toEqual(['the digest is another one'])
  },
)

it('looks only at the one before where that is the one that ended', async () => {
  const ended = { isPrevious: true, isFirst: false }
  expect(await lastLinesOf(containerOf(1), REF, ended)).toEqual(['the digest is another one'])
  expect(await lastLinesOf(containerOf(9), REF, ended)).toEqual([])
})
