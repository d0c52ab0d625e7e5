/** What every store of agents' connections must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../../src/core/deployment/control-plane-store.ts'
import { anAgentConnection, anOAuthToken } from '../../support/control-plane-records.ts'

export function testAgentConnectionStore(open: () => ControlPlaneStore): void {
  describe('connections of agents', () => {
    it('are listed by agent, the oldest first, and deleted', async () => {
      const { tokens, connections } = open().oauth
      const [one, two] = [anOAuthToken(), anOAuthToken()]
      for (const token of [one, two]) await tokens.insert(token)
      const second = anAgentConnection({
        oauth_token_id: two.id,
        created_at: '2026-11-20T12:00:01.000Z',
      })
      const first = anAgentConnection({ oauth_token_id: one.id })
      const other = anAgentConnection({ oauth_token_id: one.id, agent_id: 'agent-2' })
      for (const connection of [second, first, other]) {
        expect(await connections.put(connection)).toEqual(connection)
      }
      const { workspace_id } = first
      expect(await connections.list(workspace_id, 'agent-1')).toEqual([first, second])
      expect(await connections.list(randomUUID(), 'agent-1')).toEqual([])
      await connections.delete(first.id)
      expect(await connections.list(workspace_id, 'agent-1')).toEqual([second])
    })

    it('are made once for an agent and a token, and go with the token', async () => {
      const { tokens, connections } = open().oauth
      const token = anOAuthToken()
      await tokens.insert(token)
      const first = anAgentConnection({ oauth_token_id: token.id })
      await connections.put(first)
      expect(await connections.put({ ...first, id: randomUUID() })).toEqual(first)
      await tokens.delete(token.id)
      expect(await connections.list(first.workspace_id, first.agent_id)).toEqual([])
    })
  })
}
