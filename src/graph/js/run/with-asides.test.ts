import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { WithAsides } from './with-asides.ts'

test('what is added comes at once, while the stream has nothing', async () => {
  const asides = new WithAsides<string>()
  const more = Promise.withResolvers<void>()
  async function* stream() {
    await more.promise
    yield 'of the stream'
  }
  const all = asides.around(stream())
  const first = all.next()
  asides.add('aside')
  expect((await first).value).toBe('aside')
  more.resolve()
  expect((await all.next()).value).toBe('of the stream')
  expect((await all.next()).done).toBe(true)
})

test('a stream may fail while who has taken an aside is busy with it', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const asides = new WithAsides<string>()
  // biome-ignore lint/correctness/useYield: it fails before its first item.
  async function* stream(): AsyncGenerator<string> {
    throw new Error('failed on purpose')
  }
  const all = asides.around(stream())
  asides.add('aside')
  expect((await all.next()).value).toBe('aside')
  await turn()
  await turn()
  expect(unhandled).toEqual([])
  await expect(all.next()).rejects.toThrow('failed on purpose')
})
