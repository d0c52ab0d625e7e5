import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Term } from '../../core/deployment/leadership.ts'
import { silentLog } from '../../core/log.ts'
import { createSecretBox } from '../../storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../../storage/control-plane/store.ts'
import { Election } from './election.ts'

let store: ControlPlaneStore
const elections: Election[] = []

beforeEach(async () => {
  store = await openControlPlaneStore(':memory:', createSecretBox(randomBytes(32)))
})
afterEach(async () => {
  for (const election of elections.splice(0)) await election.stop()
  await store.close()
})

/** One that has started, what it was told to do, and its term once it leads. */
async function start(holder: string, onElected: () => Promise<void> = async () => {}) {
  const election = new Election({ store: store.leadership, holder, log: silentLog })
  elections.push(election)
  const duties: string[] = []
  const elected = Promise.withResolvers<Term>()
  await election.start({
    async onElected(term) {
      duties.push('elected')
      await onElected()
      elected.resolve(term)
    },
    onEnding: async () => void duties.push('ending'),
    onLost: async () => void duties.push('lost'),
  })
  return { election, duties, elected: elected.promise }
}

it('leads where nobody does, and tells the others where it listens', async () => {
  const leader = await start('one')
  expect(leader.election).toMatchObject({ isLeading: true, leaderUrl: undefined })
  await leader.election.announce('http://one')
  const follower = await start('other')
  expect(follower.election).toMatchObject({ isLeading: false, leaderUrl: 'http://one' })
  expect(follower.duties).toEqual([])
})

it('lets another lead once it has ended what leaders do', async () => {
  const leader = await start('one')
  const follower = await start('other')
  await leader.election.stop()
  expect(leader.duties).toEqual(['elected', 'ending'])
  const term = await follower.elected
  expect(term.isSure()).toBe(true)
  expect(leader.election.isLeading).toBe(false)
})

it('takes over from itself at once: a data folder has one process', async () => {
  const before = await start('one')
  const after = await start('one')
  expect(after.election.isLeading).toBe(true)
  expect((await after.elected).token).toBeGreaterThan((await before.elected).token)
})

it('leaves the lead to others when it cannot do what leaders do', async () => {
  const reason = new Error('no driver')
  await expect(start('one', () => Promise.reject(reason))).rejects.toBe(reason)
  expect(await store.leadership.get()).toMatchObject({ holder: null })
})
