import { expect, test } from 'vitest'
import { AbortTimeout, RunSignal } from './run-signal.ts'

const never = new Promise<never>(() => {})

async function collect<T>(stream: AsyncIterable<T>, onItem: (item: T) => void): Promise<void> {
  for await (const item of stream) onItem(item)
}

test('code that ends within its time after the abort is waited for', async () => {
  const controller = new AbortController()
  const patience = new AbortTimeout(controller.signal, 60_000)
  const work = Promise.withResolvers<string>()
  const waited = patience.wait(work.promise)
  controller.abort('told')
  work.resolve('done')
  expect(await waited).toBe('done')
  patience.stop()
})

test('code that does not end is left behind, with the reason that it was told', async () => {
  const controller = new AbortController()
  const patience = new AbortTimeout(controller.signal, 1)
  const waited = patience.wait(never)
  controller.abort('told')
  await expect(waited).rejects.toBe('told')
  await expect(patience.wait(never)).rejects.toBe('told')
  patience.stop()
})

test('a signal that was aborted from the start counts as well', async () => {
  const patience = new AbortTimeout(AbortSignal.abort('told'), 1)
  await expect(patience.wait(never)).rejects.toBe('told')
})

test('a stream may end within its time after the abort', async () => {
  const controller = new AbortController()
  const patience = new AbortTimeout(controller.signal, 60_000)
  async function* numbers() {
    for (let count = 1; count <= 3; count += 1) yield count
  }
  const seen: number[] = []
  await collect(patience.each(numbers()), (count) => {
    seen.push(count)
    if (count === 2) controller.abort('told')
  })
  expect(seen).toEqual([1, 2, 3])
  expect(patience.isOver).toBe(false)
  patience.stop()
})

test('a stream that does not end after the abort is closed', async () => {
  const controller = new AbortController()
  const patience = new AbortTimeout(controller.signal, 1)
  const held = Promise.withResolvers<void>()
  let isClosed = false
  async function* numbers() {
    try {
      yield 1
      await held.promise
      yield 2
    } finally {
      isClosed = true
    }
  }
  const taken = collect(patience.each(numbers()), () => controller.abort('told'))
  await expect(taken).rejects.toBe('told')
  expect(patience.isOver).toBe(true)
  held.resolve()
  await expect.poll(() => isClosed).toBe(true)
  patience.stop()
})

test('a run is stopped for the first reason, also one from before its start', () => {
  const queue = new AbortController()
  const run = new RunSignal(queue.signal, 60_000)
  expect(run.signal.aborted).toBe(false)
  expect(run.crash('broken')).toBe(true)
  queue.abort({ kind: 'shutdown' })
  expect(run.signal.reason).toEqual({ kind: 'crashed', error: 'broken' })
  expect(run.crash('again')).toBe(false)
  run.stop()
  const late = new RunSignal(queue.signal, 60_000)
  expect(late.signal.reason).toEqual({ kind: 'shutdown' })
  late.stop()
})

test('a run whose outcome is known does not crash, and a stopped signal follows nothing', () => {
  const queue = new AbortController()
  const run = new RunSignal(queue.signal, 60_000)
  run.ignoreCrashes()
  expect(run.crash('late')).toBe(false)
  run.stop()
  queue.abort()
  expect(run.signal.aborted).toBe(false)
})
