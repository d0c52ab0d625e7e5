import { expect, it } from 'vitest'
import { LaterWork } from './later-work.ts'

/** Goes on until it is ended. */
const untilEnded = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))

it('is done one revision after the other', async () => {
  const later = new LaterWork()
  const done: string[] = []
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  later.begin('a', async () => {
    await first.promise
    done.push('a')
  })
  later.begin('b', async () => {
    done.push('b')
    second.resolve()
  })
  first.resolve()
  await second.promise
  expect(done).toEqual(['a', 'b'])
})

it('is ended for a revision without a wait for that of another', async () => {
  const later = new LaterWork()
  const begun = Promise.withResolvers<void>()
  const seen: string[] = []
  later.begin('a', async (signal) => {
    begun.resolve()
    await untilEnded(signal)
    seen.push('a')
  })
  later.begin('b', async () => void seen.push('b'))
  await begun.promise
  await later.end('b')
  expect(seen).toEqual([])
  await later.stop()
  expect(seen).toEqual(['a'])
})
