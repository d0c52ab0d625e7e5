/** What every store of workspaces must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../src/core/deployment/control-plane-store.ts'
import { DEFAULT_WORKSPACE_ID } from '../../src/core/people/api-key.ts'
import type { Workspace } from '../../src/core/people/workspace.ts'
import {
  aListener,
  anApiKey,
  anOAuthToken,
} from '../support/control-plane/control-plane-records.ts'

const aWorkspace = (name: string, created_at = '2100-01-01T00:00:00.000Z'): Workspace => ({
  id: randomUUID(),
  name,
  created_at,
})

export function testWorkspaceStore(open: () => ControlPlaneStore): void {
  describe('workspaces', () => {
    it('are answered by id and listed, the oldest first, after the one that is always there', async () => {
      const { workspaces } = open()
      const younger = aWorkspace('younger', '2100-01-02T00:00:00.000Z')
      const older = aWorkspace('older')
      await workspaces.insert(younger)
      await workspaces.insert(older)
      expect(await workspaces.get(older.id)).toEqual(older)
      expect(await workspaces.get(randomUUID())).toBeUndefined()
      const [first, ...rest] = await workspaces.list({ limit: 10, offset: 0 })
      expect(first?.id).toBe(DEFAULT_WORKSPACE_ID)
      expect(rest).toEqual([older, younger])
      expect(await workspaces.list({ limit: 1, offset: 2 })).toEqual([younger])
    })

    it('are renamed', async () => {
      const { workspaces } = open()
      const workspace = aWorkspace('before')
      await workspaces.insert(workspace)
      await workspaces.rename(workspace.id, 'after')
      expect(await workspaces.get(workspace.id)).toEqual({ ...workspace, name: 'after' })
    })

    it('go with their keys, listeners and OAuth tokens, and with nobody else’s', async () => {
      const store = open()
      const workspace = aWorkspace('gone')
      const workspace_id = workspace.id
      await store.workspaces.insert(workspace)
      const [own, other] = [anApiKey({ workspace_id }), anApiKey()]
      for (const key of [own, other]) await store.apiKeys.put(key)
      await store.listeners.insert(aListener({ workspace_id }))
      await store.oauth.tokens.insert(anOAuthToken({ workspace_id }))
      await store.workspaces.delete(workspace_id)
      expect(await store.workspaces.get(workspace_id)).toBeUndefined()
      expect(await store.apiKeys.get(own.id)).toBeUndefined()
      expect(await store.apiKeys.get(other.id)).toEqual(other)
      expect(await store.listeners.list({ workspace_id, limit: 1, offset: 0 })).toEqual([])
      expect(
        await store.oauth.tokens.listOfUser({ workspace_id, user_id: 'user-1', limit: 1 }),
      ).toEqual([])
    })
  })
}
