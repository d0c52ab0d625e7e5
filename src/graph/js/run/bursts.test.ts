import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Bursts } from './bursts.ts'

const of = (stream: AsyncIterable<string>, bursts = new Bursts<string>()) =>
  bursts.of({ stream, read: (item) => [item], isAwaited: true })

test('what a stream has in one go is one list, and what comes later another', async () => {
  async function* stream() {
    for (let number = 0; number < 6; number += 1) {
      if (number % 3 === 0) await turn()
      yield String(number)
    }
  }
  const lists: string[][] = []
  for await (const list of of(stream())) lists.push(list)
  expect(lists).toEqual([
    ['0', '1', '2'],
    ['3', '4', '5'],
  ])
})

test('a stream goes on after any number of items in one go', async () => {
  for (let count = 1; count <= 200; count += 1) {
    async function* stream() {
      for (let number = 0; number < count; number += 1) yield String(number)
      await turn()
      yield 'after a pause'
    }
    const items: string[] = []
    for await (const list of of(stream())) items.push(...list)
    expect(items).toHaveLength(count + 1)
    expect(items.at(-1)).toBe('after a pause')
  }
})

test('an endless stream is handed out bit by bit, and not read ahead', async () => {
  let made = 0
  let isLeft = false
  async function* stream() {
    try {
      for (;;) yield String(made++)
    } finally {
      isLeft = true
    }
  }
  const all = of(stream())
  expect((await all.next()).value).toHaveLength(64)
  await turn()
  expect(made).toBeLessThanOrEqual(65)
  expect((await all.next()).value[0]).toBe('64')
  await all.return(undefined)
  expect(isLeft).toBe(true)
})

test('an item is read before what made it goes on', async () => {
  const changing = { text: '' }
  async function* stream() {
    for (const text of ['a', 'b', 'c']) {
      changing.text = text
      yield changing
    }
  }
  const bursts = new Bursts<string>()
  const all = bursts.of({ stream: stream(), read: ({ text }) => [text], isAwaited: true })
  expect((await all.next()).value).toEqual(['a', 'b', 'c'])
})

test('what was read is handed out before the failure, and before the end where nothing more is wanted', async () => {
  async function* stream() {
    yield 'a'
    yield 'b'
    throw new Error('failed on purpose')
  }
  const failing = of(stream())
  expect((await failing.next()).value).toEqual(['a', 'b'])
  await expect(failing.next()).rejects.toThrow('failed on purpose')
  const read = (item: string) => (item === 'b' ? undefined : [item])
  const left = new Bursts<string>().of({ stream: stream(), read, isAwaited: true })
  expect((await left.next()).value).toEqual(['a'])
  expect((await left.next()).done).toBe(true)
})

test('what is added comes at once, while the stream has nothing', async () => {
  const bursts = new Bursts<string>()
  const more = Promise.withResolvers<void>()
  async function* stream() {
    await more.promise
    yield 'of the stream'
  }
  const all = of(stream(), bursts)
  const first = all.next()
  bursts.add(['aside'])
  expect((await first).value).toEqual(['aside'])
  more.resolve()
  expect((await all.next()).value).toEqual(['of the stream'])
  expect((await all.next()).done).toBe(true)
})

test('what is added until some work is done comes, and then the end', async () => {
  const bursts = new Bursts<string>()
  const work = Promise.withResolvers<void>()
  const rest = bursts.until(work.promise)
  const first = rest.next()
  bursts.add(['aside'])
  expect((await first).value).toEqual(['aside'])
  work.resolve()
  expect((await rest.next()).done).toBe(true)
})

test('a stream may fail while who has taken an aside is busy with it', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const bursts = new Bursts<string>()
  // biome-ignore lint/correctness/useYield: it fails before its first item.
  async function* stream(): AsyncGenerator<string> {
    await turn()
    throw new Error('failed on purpose')
  }
  const all = of(stream(), bursts)
  const first = all.next()
  bursts.add(['aside'])
  expect((await first).value).toEqual(['aside'])
  await turn()
  await turn()
  expect(unhandled).toEqual([])
  await expect(all.next()).rejects.toThrow('failed on purpose')
})
