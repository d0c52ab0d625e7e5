/** What every store of tokens that are to be given back must do. */
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../../src/core/deployment/control-plane-store.ts'
import type { OAuthRevocation } from '../../../src/core/oauth/revocation.ts'
import { anOAuthProvider, anOAuthToken } from '../../support/control-plane/control-plane-records.ts'

export function anOAuthRevocation(change: Partial<OAuthRevocation> = {}): OAuthRevocation {
  const provider = anOAuthProvider()
  const { id, workspace_id, user_id, end_user_id, created_at } = anOAuthToken()
  const grant = { access_token: `access of ${id}`, refresh_token: null }
  const when = { attempts: 1, next_at: 1_000, created_at }
  return { id, workspace_id, user_id, end_user_id, provider, grant, ...when, ...change }
}

export function testOAuthRevocationStore(open: () => ControlPlaneStore): void {
  describe('revocations', () => {
    it('are due one after the other, with their provider as it was', async () => {
      const { revocations } = open().oauth
      const [first, second, later] = [10, 20, 30].map((next_at) => anOAuthRevocation({ next_at }))
      for (const one of [later, second, first]) if (one) await revocations.insert(one)
      expect(await revocations.listDue(20, 10)).toEqual([first, second])
      expect(await revocations.listDue(30, 1)).toEqual([first])
    })

    it('are put off, and go', async () => {
      const { revocations } = open().oauth
      const one = anOAuthRevocation({ next_at: 10 })
      await revocations.insert(one)
      await revocations.postpone(one.id, { attempts: 2, next_at: 50 })
      expect(await revocations.listDue(49, 10)).toEqual([])
      expect(await revocations.listDue(50, 10)).toEqual([{ ...one, attempts: 2, next_at: 50 }])
      await revocations.delete(one.id)
      expect(await revocations.listDue(50, 10)).toEqual([])
    })
  })
}
