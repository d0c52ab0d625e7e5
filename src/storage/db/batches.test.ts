import { expect, test } from 'vitest'
import { inBatches } from './batches.ts'

test('what is removed in batches is counted together, and others come between', async () => {
  const left = [3, 3, 1]
  const told: string[] = []
  const removeSome = async () => {
    told.push('a batch')
    setImmediate(() => told.push('another'))
    return { removed: left.shift() ?? 0, isLast: left.length === 0 }
  }
  expect(await inBatches(removeSome)).toBe(7)
  expect(told).toEqual(['a batch', 'another', 'a batch', 'another', 'a batch'])
})

test('what is aborted ends with the batch that is at work', async () => {
  const stopping = new AbortController()
  let batches = 0
  const removeSome = async () => {
    batches += 1
    if (batches === 2) stopping.abort()
    return { removed: 5, isLast: false }
  }
  expect(await inBatches(removeSome, stopping.signal)).toBe(10)
})
