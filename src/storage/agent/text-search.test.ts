import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { lookThrough } from './text-search.ts'

const KIB = 1024

const rowsOf = (sizes: readonly number[]) =>
  sizes.map((bytes, place) => ({ id: String(place), bytes }))

it('reads parts of at most 1 MiB or one row, and lets other work go on between them', async () => {
  const parts: string[][] = []
  const sizes: number[] = []
  let isOver = false
  const others = (async () => {
    let turns = 0
    for (; !isOver; turns += 1) await turn()
    return turns
  })()
  const rows = rowsOf([600 * KIB, 400 * KIB, 100 * KIB, 3_000 * KIB, 1, 1])
  const found = await lookThrough(
    rows,
    async (ids) => {
      parts.push(ids)
      return ids.filter((id) => id !== '2').toReversed()
    },
    (bytes) => sizes.push(bytes),
  )
  isOver = true
  expect(parts).toEqual([['0', '1'], ['2'], ['3'], ['4', '5']])
  expect(sizes).toEqual([1_000 * KIB, 100 * KIB, 3_000 * KIB, 2])
  expect(found).toEqual({ ids: ['0', '1', '3', '4', '5'] })
  expect(await others).toBeGreaterThanOrEqual(parts.length)
})

it('reads up to 1,000 rows and 16 MiB, and says after how many it ended', async () => {
  const lookedAt = async (sizes: readonly number[]) => {
    let read = 0
    const found = await lookThrough(rowsOf(sizes), async ({ length }) => {
      read += length
      return []
    })
    return [read, found.lookedAt]
  }
  expect(await lookedAt([])).toEqual([0, undefined])
  expect(await lookedAt(Array(1_000).fill(1))).toEqual([1_000, undefined])
  expect(await lookedAt(Array(1_001).fill(1))).toEqual([1_000, 1_000])
  expect(await lookedAt(Array(5).fill(6 * KIB ** 2))).toEqual([2, 2])
})

it('ends where a size is refused, before that part is read', async () => {
  let read = 0
  const search = lookThrough(
    rowsOf([KIB ** 2, 2 * KIB ** 2]),
    async ({ length }) => {
      read += length
      return []
    },
    (bytes) => {
      if (bytes > KIB ** 2) throw new RangeError('no room')
    },
  )
  await expect(search).rejects.toThrow('no room')
  expect(read).toBe(1)
})
