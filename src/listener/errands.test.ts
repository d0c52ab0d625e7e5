import { expect, it } from 'vitest'
import { Errands } from './errands.ts'

const LIMIT_MS = 30_000

it('waits for what is done, and gives its answer', async () => {
  const errands = new Errands({ away: undefined, renew: () => 1 })
  const asked = errands.run({ kind: 'inspect' }, LIMIT_MS)
  const [errand] = errands.list()
  errands.settle(errand?.id ?? '', 'the answer')
  expect(await asked).toEqual({ isDone: true, value: 'the answer' })
  expect(errands.list()).toEqual([])
})

it('gives up at once while the listener is away', async () => {
  const listener: { away: string | undefined; renew(): number } = {
    away: undefined,
    renew: () => 1,
  }
  const errands = new Errands(listener)
  const before = errands.run({ kind: 'activate' }, LIMIT_MS)
  listener.away = 'It is away.'
  errands.giveUp()
  expect(await before).toMatchObject({ isDone: false })
  const after = await errands.run({ kind: 'drain_requests', limit_ms: 0 }, LIMIT_MS)
  expect(after).toMatchObject({ isDone: false })
  expect(errands.list()).toEqual([])
})
