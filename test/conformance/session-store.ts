/** What every store of sessions, and of the codes of links, must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../src/core/deployment/control-plane-store.ts'
import { aSession, aSessionHolder } from '../support/control-plane/control-plane-records.ts'

const NOW = '2026-11-20T12:00:00.000Z'
const LATER = '2026-11-20T13:00:00.000Z'
const LAST = '2026-11-21T12:00:00.000Z'
const PAGE = { limit: 10, offset: 0 }

export function testSessionStore(open: () => ControlPlaneStore): void {
  describe('sessions', () => {
    it('are found by their secret, and by the one before it', async () => {
      const { sessions } = open()
      const session = aSession()
      await sessions.insert(session)
      const from = session.secret_hash
      expect(await sessions.get(session.id)).toEqual(session)
      expect(await sessions.findByHash(from)).toEqual(session)
      const change = { from, to: randomUUID(), former: from, rotated_at: LATER }
      expect(await sessions.rotate(session.id, change)).toBe(true)
      expect(await sessions.rotate(session.id, { ...change, to: randomUUID() })).toBe(false)
      const rotated = {
        ...session,
        ...{ secret_hash: change.to, former_hash: from, former_until: null, rotated_at: LATER },
      }
      for (const hash of [from, change.to]) expect(await sessions.findByHash(hash)).toEqual(rotated)
      expect(await sessions.findByHash(randomUUID())).toBeUndefined()
    })

    it('note their use; the end of the former secret stays once it is set', async () => {
      const { sessions } = open()
      const session = aSession()
      await sessions.insert(session)
      const use = { used_at: LATER, expires_at: LAST, former_until: LATER }
      await sessions.use(session.id, use)
      await sessions.use(session.id, { ...use, former_until: LAST })
      expect(await sessions.get(session.id)).toEqual({ ...session, ...use })
    })

    it('are listed by workspace and by user, the last used first, without those that are over', async () => {
      const { sessions } = open()
      const [blue, red] = [randomUUID(), randomUUID()]
      const both = { workspace_id: red, workspaces: [red, blue] }
      const anna = aSession({ ...both, user_id: 'user:anna', used_at: NOW })
      const bert = aSession({ ...both, user_id: 'user:bert', used_at: LATER })
      const over = aSession({ ...both, expires_at: NOW })
      const other = aSession({ workspace_id: red, workspaces: [red] })
      for (const one of [anna, bert, over, other]) await sessions.insert(one)
      const list = (user_id?: string, page = PAGE) =>
        sessions.list({ workspace_id: blue, user_id, now: NOW }, page)
      expect(await list()).toEqual([bert, anna])
      expect(await list(undefined, { limit: 1, offset: 1 })).toEqual([anna])
      expect(await list('user:anna')).toEqual([anna])
    })

    it('end one by one, with their user, and beyond the last used ones', async () => {
      const { sessions } = open()
      const workspace_id = randomUUID()
      const mine = { workspace_id, workspaces: [workspace_id], user_id: randomUUID() }
      const [first, second] = [NOW, LATER].map((used_at) => aSession({ ...mine, used_at }))
      const third = aSession({ ...mine, used_at: LAST })
      const stranger = aSession({ workspace_id, workspaces: [workspace_id] })
      for (const one of [first, second, third, stranger]) if (one) await sessions.insert(one)
      await sessions.endOldest(mine.user_id, 2)
      expect(await sessions.get(first?.id ?? '')).toBeUndefined()
      expect(await sessions.delete(third.id)).toBe(true)
      expect(await sessions.delete(third.id)).toBe(false)
      const code = { code_hash: randomUUID(), holder: aSessionHolder(mine), expires_at: LAST }
      await sessions.addCode(code, 9)
      expect(await sessions.deleteOfUser(mine)).toBe(1)
      expect(await sessions.takeCode(code.code_hash, NOW)).toBeUndefined()
      expect(await sessions.get(stranger.id)).toEqual(stranger)
    })

    it('end with their workspace', async () => {
      const { sessions, workspaces } = open()
      const workspace_id = randomUUID()
      await workspaces.insert({ id: workspace_id, name: 'Blue', created_at: NOW })
      const session = aSession({ workspace_id, workspaces: [workspace_id] })
      const holder = aSessionHolder({ workspace_id })
      await sessions.insert(session)
      await sessions.addCode({ code_hash: workspace_id, holder, expires_at: LAST }, 9)
      await workspaces.delete(workspace_id)
      expect(await sessions.get(session.id)).toBeUndefined()
      expect(await sessions.takeCode(workspace_id, NOW)).toBeUndefined()
    })

    it('refuse a second one with the same secret', async () => {
      const { sessions } = open()
      const session = aSession()
      await sessions.insert(session)
      const { secret_hash } = session
      await expect(sessions.insert(aSession({ secret_hash }))).rejects.toThrow()
    })
  })

  describe('the codes of links', () => {
    it('are taken once, and not when they are too old', async () => {
      const { sessions } = open()
      const code = { code_hash: randomUUID(), holder: aSessionHolder(), expires_at: LATER }
      const old = { code_hash: randomUUID(), holder: aSessionHolder(), expires_at: NOW }
      await sessions.addCode(code, 9)
      await sessions.addCode(old, 9)
      expect(await sessions.takeCode(old.code_hash, NOW)).toBeUndefined()
      expect(await sessions.findCode(old.code_hash, NOW)).toBeUndefined()
      expect(await sessions.findCode(code.code_hash, NOW)).toEqual(code)
      expect(await sessions.takeCode(code.code_hash, NOW)).toEqual(code)
      expect(await sessions.findCode(code.code_hash, NOW)).toBeUndefined()
      expect(await sessions.takeCode(code.code_hash, NOW)).toBeUndefined()
    })

    it('are as many of one user as are to be kept, the latest', async () => {
      const { sessions } = open()
      const holder = aSessionHolder({ user_id: randomUUID() })
      const codes = [NOW, LATER, LAST].map((expires_at) => ({
        ...{ code_hash: randomUUID(), holder, expires_at },
      }))
      const other = { code_hash: randomUUID(), holder: aSessionHolder(), expires_at: NOW }
      for (const one of [other, ...codes]) await sessions.addCode(one, 2)
      const taken = [other, ...codes].map((one) => sessions.takeCode(one.code_hash, ''))
      expect(await Promise.all(taken)).toEqual([other, undefined, ...codes.slice(1)])
    })

    it('are taken by one of many who come at once', async () => {
      const { sessions } = open()
      const code = { code_hash: randomUUID(), holder: aSessionHolder(), expires_at: LATER }
      await sessions.addCode(code, 9)
      const taken = await Promise.all(
        Array.from({ length: 10 }, () => sessions.takeCode(code.code_hash, NOW)),
      )
      expect(taken.filter(Boolean)).toEqual([code])
    })

    it('go when they are too old, as do sessions', async () => {
      const { sessions } = open()
      const session = aSession({ expires_at: LATER })
      const code = { code_hash: randomUUID(), holder: aSessionHolder(), expires_at: LATER }
      await sessions.insert(session)
      await sessions.addCode(code, 9)
      await sessions.expire(LATER)
      expect(await sessions.get(session.id)).toBeUndefined()
      expect(await sessions.takeCode(code.code_hash, NOW)).toBeUndefined()
    })
  })
}
