/** What every store of agents' connections must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../../src/core/deployment/control-plane-store.ts'
import {
  anAgentConnection,
  anOAuthToken,
} from '../../support/control-plane/control-plane-records.ts'

export function testAgentConnectionStore(open: () => ControlPlaneStore): void {
  describe('connections of agents', () => {
    const page = { limit: 10, offset: 0 }

    it('are listed by agent and user, the oldest first, and deleted', async () => {
      const { tokens, connections } = open().oauth
      const [one, two] = [anOAuthToken(), anOAuthToken({ end_user_id: 'anna' })]
      const foreign = anOAuthToken({ user_id: 'user-2', end_user_id: 'user-1' })
      const kept = anOAuthToken({ user_id: 'deployment:1', end_user_id: 'user-1' })
      for (const token of [one, two, foreign, kept]) await tokens.insert(token)
      const at = (second: number) => `2026-11-20T12:00:0${second}.000Z`
      const first = anAgentConnection({ oauth_token_id: one.id })
      const second = anAgentConnection({ oauth_token_id: two.id, created_at: at(1) })
      const third = anAgentConnection({ oauth_token_id: kept.id, created_at: at(2) })
      const others = [
        anAgentConnection({ oauth_token_id: one.id, agent_id: 'agent-2' }),
        anAgentConnection({ oauth_token_id: foreign.id }),
      ]
      for (const connection of [third, second, first, ...others]) {
        expect(await connections.put(connection)).toEqual(connection)
      }
      const { workspace_id, agent_id } = first
      const query = { workspace_id, agent_id, user_id: 'user-1', ...page }
      expect(await connections.listOfUser(query)).toEqual([first, second, third])
      expect(await connections.listOfUser({ ...query, limit: 1, offset: 1 })).toEqual([second])
      const elsewhere = { ...query, workspace_id: randomUUID() }
      expect(await connections.listOfUser(elsewhere)).toEqual([])
      expect(await connections.get(first.id)).toEqual(first)
      await connections.delete(first.id)
      expect(await connections.get(first.id)).toBeUndefined()
      expect(await connections.listOfUser(query)).toEqual([second, third])
    })

    it('tell which of an owner’s accounts of a provider an agent works with', async () => {
      const { tokens, connections } = open().oauth
      const [one, two] = [anOAuthToken(), anOAuthToken()]
      const others = [anOAuthToken({ provider_id: 'slack' }), anOAuthToken({ end_user_id: 'anna' })]
      for (const token of [one, two, ...others]) {
        await tokens.insert(token)
        if (token !== two) await connections.put(anAgentConnection({ oauth_token_id: token.id }))
      }
      const to = { provider_key: one.provider_key, agent_id: 'agent-1' }
      expect(await connections.listTokenIds(one, to)).toEqual([one.id])
      expect(await connections.listTokenIds(one, { ...to, agent_id: 'agent-2' })).toEqual([])
    })

    it('are made once for an agent and a token, and go with the token', async () => {
      const { tokens, connections } = open().oauth
      const token = anOAuthToken()
      await tokens.insert(token)
      const first = anAgentConnection({ oauth_token_id: token.id })
      await connections.put(first)
      expect(await connections.put({ ...first, id: randomUUID() })).toEqual(first)
      await tokens.delete(token.id)
      expect(await connections.get(first.id)).toBeUndefined()
    })
  })
}
