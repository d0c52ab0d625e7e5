/** What every store of consents must do. */
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../../src/core/deployment/control-plane-store.ts'
import { CONSENT_STATUSES, CONSENT_TRANSITIONS } from '../../../src/core/oauth/consent.ts'
import { anOAuthConsent } from '../../support/control-plane/control-plane-records.ts'

const LATER = { state: 's2', code_verifier: 'v2', nonce: 'n2', browser_key: 'b2' }

export function testOAuthConsentStore(open: () => ControlPlaneStore): void {
  describe('consents', () => {
    it('are found by id and by state, as they were stored', async () => {
      const { consents } = open().oauth
      const consent = anOAuthConsent({ token_id: 't', agent_id: 'a', is_default: false })
      for (const one of [consent, anOAuthConsent()]) await consents.insert(one)
      expect(await consents.get(consent.id)).toEqual(consent)
      expect(await consents.findByState(consent.state_hash)).toEqual(consent)
      expect(await consents.findByState('another')).toBeUndefined()
    })

    it('are asked for once while they are pending and good for long enough', async () => {
      const { consents } = open().oauth
      const consent = anOAuthConsent({ expires_at: 100 })
      for (const one of [consent, anOAuthConsent({ fingerprint: 'other' })]) {
        await consents.insert(one)
      }
      const { fingerprint } = consent
      expect(await consents.findPending(fingerprint, 100)).toEqual(consent)
      expect(await consents.findPending(fingerprint, 101)).toBeUndefined()
      await consents.claim(consent.id, { now: 1, forMs: 60_000 })
      expect(await consents.findPending(fingerprint, 1)).toBeUndefined()
    })

    it('are exchanged by one at a time, again when its time is over, never when too late', async () => {
      const { consents } = open().oauth
      const { id } = anOAuthConsent()
      await consents.insert(anOAuthConsent({ id, expires_at: 1000 }))
      const claim = (now: number, forMs = 0) => consents.claim(id, { now, forMs })
      const won = await Promise.all([claim(1, 500), claim(1, 500), claim(1, 500)])
      expect(won.filter(Boolean)).toHaveLength(1)
      expect(await claim(2)).toBe(false)
      await expect.poll(() => claim(999)).toBe(true)
      expect(await claim(1000)).toBe(false)
    })

    it.each(CONSENT_STATUSES)('take no step from %s that the list does not have', async (from) => {
      const { consents } = open().oauth
      const step = async (to: (typeof CONSENT_STATUSES)[number]) => {
        const consent = anOAuthConsent({ status: from, claimed_until: 1, expires_at: 1000 })
        await consents.insert(consent)
        if (to === 'exchanging') await consents.claim(consent.id, { now: 0, forMs: 60_000 })
        else if (to === 'expired') await consents.expire(1000, 0)
        else if (to === 'pending' && from !== 'exchanging') {
          const state_hash = `again-${consent.id}`
          await consents.restart(consent.id, { state_hash, secrets: LATER })
        } else await consents.settle(consent.id, { status: to })
        return (await consents.get(consent.id))?.status === to
      }
      for (const to of CONSENT_STATUSES.filter((one) => one !== from)) {
        expect({ to, isTaken: await step(to) }).toEqual({
          to,
          isTaken: CONSENT_TRANSITIONS[from].includes(to),
        })
      }
    })

    it('say what went wrong or what came of them, and begin again with other secrets', async () => {
      const { consents } = open().oauth
      const { id } = anOAuthConsent()
      await consents.insert(anOAuthConsent({ id }))
      await consents.claim(id, { now: 1, forMs: 60_000 })
      await consents.settle(id, { status: 'failed', problem: 'The code was refused.' })
      expect(await consents.get(id)).toMatchObject({ problem: 'The code was refused.' })
      const begin = { state_hash: 'hash-2', secrets: LATER }
      expect(await consents.restart(id, begin)).toBe(true)
      const again = { status: 'pending', problem: null, secrets: LATER, state_hash: 'hash-2' }
      expect(await consents.get(id)).toMatchObject(again)
      expect(await consents.restart(id, { ...begin, state_hash: 'hash-3' })).toBe(true)
      await consents.claim(id, { now: 3, forMs: 500 })
      expect(await consents.restart(id, begin)).toBe(false)
      await expect.poll(() => consents.restart(id, begin)).toBe(true)
      await consents.claim(id, { now: 5, forMs: 60_000 })
      await consents.settle(id, { status: 'completed', token_id: 'token-1' })
      expect(await consents.restart(id, begin)).toBe(false)
      expect(await consents.get(id)).toMatchObject({ status: 'completed', token_id: 'token-1' })
    })

    it('end with what their provider was, unless they have ended', async () => {
      const { consents } = open().oauth
      const [pending, done, other] = [
        anOAuthConsent({ provider_key: 'ended' }),
        anOAuthConsent({ provider_key: 'ended', status: 'completed' }),
        anOAuthConsent(),
      ]
      for (const consent of [pending, done, other]) await consents.insert(consent)
      await consents.end('ended')
      expect(await consents.get(pending.id)).toEqual({ ...pending, status: 'expired' })
      expect(await consents.get(done.id)).toEqual(done)
      expect(await consents.get(other.id)).toEqual(other)
    })

    it('are counted by caller while they are open', async () => {
      const { consents } = open().oauth
      const of = { user_id: 'user-of-many' }
      const all = [
        anOAuthConsent({ ...of, end_user_id: 'anna' }),
        anOAuthConsent({ ...of, end_user_id: 'bert', status: 'failed' }),
        anOAuthConsent({ ...of, status: 'completed' }),
        anOAuthConsent({ ...of, expires_at: 10 }),
        anOAuthConsent(),
      ]
      for (const consent of all) await consents.insert(consent)
      const { workspace_id } = all[0] ?? anOAuthConsent()
      expect(await consents.countOpen({ ...of, workspace_id }, 10, 100)).toBe(2)
      expect(await consents.countOpen({ ...of, workspace_id }, 10, 1)).toBe(1)
      const ofAll = await consents.countOpen({ workspace_id }, 10, 100)
      expect(ofAll).toBeGreaterThanOrEqual(2)
    })

    it('end where an owner has too many, the oldest first', async () => {
      const { consents } = open().oauth
      const at = (second: number) => `2026-11-20T12:00:0${second}.000Z`
      const [old, done, newer, newest] = [
        anOAuthConsent({ created_at: at(1) }),
        anOAuthConsent({ created_at: at(1), status: 'completed' }),
        anOAuthConsent({ created_at: at(2) }),
        anOAuthConsent({ created_at: at(3) }),
      ]
      const other = anOAuthConsent({ created_at: at(1), end_user_id: 'bert' })
      for (const consent of [newest, old, done, newer, other]) await consents.insert(consent)
      await consents.endOldest(old, { open: 2, all: 100 })
      expect(await consents.get(old.id)).toMatchObject({ status: 'expired' })
      for (const one of [done, newer, newest, other]) {
        expect(await consents.get(one.id)).toEqual(one)
      }
      await consents.endOldest(old, { open: 2, all: 2 })
      for (const one of [old, done]) expect(await consents.get(one.id)).toBeUndefined()
      for (const one of [newer, newest, other]) expect(await consents.get(one.id)).toEqual(one)
    })

    it('are removed with their holder', async () => {
      const { consents } = open().oauth
      const of = { user_id: 'user-that-goes' }
      const [own, ofAnna] = [anOAuthConsent({ ...of, end_user_id: '' }), anOAuthConsent(of)]
      const other = anOAuthConsent({ end_user_id: 'bert' })
      for (const consent of [own, ofAnna, other]) await consents.insert(consent)
      const { workspace_id } = own
      await consents.deleteOfHolder({ workspace_id, person: 'anna' })
      expect(await consents.get(ofAnna.id)).toBeUndefined()
      expect(await consents.get(own.id)).toEqual(own)
      await consents.deleteOfHolder({ workspace_id, ...of })
      expect(await consents.get(own.id)).toBeUndefined()
      expect(await consents.get(other.id)).toEqual(other)
    })

    it('are forgotten some time after their end', async () => {
      const { consents } = open().oauth
      const [old, done, young] = [
        anOAuthConsent({ expires_at: 10 }),
        anOAuthConsent({ expires_at: 10, status: 'completed' }),
        anOAuthConsent({ expires_at: 100 }),
      ]
      for (const consent of [old, done, young]) await consents.insert(consent)
      await consents.expire(50, 5)
      expect(await consents.get(old.id)).toMatchObject({ status: 'expired' })
      await consents.expire(50, 10)
      expect(await consents.get(old.id)).toBeUndefined()
      expect(await consents.get(done.id)).toBeUndefined()
      expect(await consents.get(young.id)).toEqual(young)
    })
  })
}
