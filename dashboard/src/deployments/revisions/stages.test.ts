import type { RevisionStatus } from '@runyard/client'
import { expect, test } from 'vitest'
import { stagesOf, tookMs } from './stages.ts'

/** Each status lasts ten seconds. */
const steps = (...statuses: RevisionStatus[]) =>
  statuses.map((status, index) => ({ status, began_at: new Date(index * 10_000).toISOString() }))

const BUILT = ['CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY'] as const

test('tells the stages of a rollout that went well, and how long it took', () => {
  const all = steps(...BUILT, 'DEPLOYING', 'DEPLOYED')
  expect(stagesOf(all)).toEqual([
    { name: 'Queue', state: 'done', from: 0, to: 30_000 },
    { name: 'Build', state: 'done', from: 30_000, to: 40_000 },
    { name: 'Start', state: 'done', from: 40_000, to: 60_000 },
  ])
  expect(tookMs(all)).toBe(60_000)
})

test('leaves open what has not begun, and without an end what goes on', () => {
  const building = steps('CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING')
  expect(stagesOf(building).map(({ state }) => state)).toEqual(['done', 'live', 'open'])
  expect(tookMs(building)).toBeUndefined()
})

test('tells where it failed, and where it was stopped', () => {
  const state = (end: RevisionStatus) => stagesOf(steps('QUEUED', 'BUILDING', end))
  expect(state('BUILD_FAILED').map((one) => one.state)).toEqual(['done', 'failed', 'open'])
  expect(state('INTERRUPTED').map((one) => one.state)).toEqual(['done', 'stopped', 'open'])
})

test('stays done when an agent server that served has died later', () => {
  const died = stagesOf(steps(...BUILT, 'DEPLOYING', 'DEPLOYED', 'DEPLOY_FAILED'))
  expect(died.at(-1)).toMatchObject({ name: 'Start', state: 'done' })
})

test('says nothing of a revision whose steps nobody has noted', () => {
  expect(stagesOf([])).toEqual([])
  expect(tookMs([])).toBeUndefined()
})
