import { expect, it } from 'vitest'
import { Errands } from './errands.ts'

const LIMIT_MS = 30_000

it('waits for what is done, and gives its answer', async () => {
  const errands = new Errands(
    () => false,
    () => {},
  )
  const asked = errands.ask({ kind: 'inspect' }, LIMIT_MS)
  const [errand] = errands.list()
  errands.settle(errand?.id ?? '', 'the answer')
  expect(await asked).toBe('the answer')
  expect(errands.list()).toEqual([])
})

it('waits for nobody who is away', async () => {
  let isAway = false
  const errands = new Errands(
    () => isAway,
    () => {},
  )
  const before = errands.do({ kind: 'activate' }, LIMIT_MS)
  isAway = true
  errands.giveUp()
  expect(await before).toBe(false)
  expect(await errands.do({ kind: 'drain_requests', limit_ms: 0 }, LIMIT_MS)).toBe(false)
  expect(errands.list()).toEqual([])
})
