import { expect, it } from 'vitest'
import { DatabaseAway } from '../core/errors.ts'
import { type Log, silentLog } from '../core/log.ts'
import { Ticker } from './ticker.ts'

it('tells of a failure once while it lasts, of another at once, and of the end', async () => {
  const said: string[] = []
  const log: Log = {
    ...silentLog,
    error: (fields) => said.push((fields as { err: Error }).err.message),
    info: () => said.push('well'),
  }
  const outcomes = ['full', 'full', 'full', 'away', 'full', undefined, undefined, 'full']
  const done = Promise.withResolvers<void>()
  let round = 0
  const work = async () => {
    const outcome = outcomes[round++]
    if (round > outcomes.length) return done.resolve()
    if (outcome) throw new Error(outcome)
  }
  const ticker = new Ticker(1, work, log)
  ticker.start()
  await done.promise
  await ticker.stop()
  expect(said).toEqual(['full', 'away', 'full', 'well', 'full', 'well'])
})

it('leaves it to the log what becomes of a database that is away', async () => {
  const said: string[] = []
  const log: Log = {
    ...silentLog,
    error: (fields) => said.push((fields as { err: Error }).err.message),
    info: () => said.push('well'),
  }
  const done = Promise.withResolvers<void>()
  let round = 0
  const work = async () => {
    round += 1
    if (round > 3) return done.resolve()
    if (round < 3) throw new DatabaseAway('full', undefined)
  }
  const ticker = new Ticker(1, work, log)
  ticker.start()
  await done.promise
  await ticker.stop()
  expect(said).toEqual(['full', 'full'])
})
