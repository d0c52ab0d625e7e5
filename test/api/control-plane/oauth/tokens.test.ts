import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ADMIN_KEY_ID, DEFAULT_WORKSPACE_ID } from '../../../../src/core/people/api-key.ts'
import { type ControlPlaneWorld, startControlPlane } from '../../../support/control-plane.ts'
import { anOAuthToken } from '../../../support/control-plane-records.ts'

let world: ControlPlaneWorld
beforeEach(async () => {
  world = await startControlPlane({ isReconciling: false })
})
afterEach(() => world.close())

describe("deleting a provider's tokens", () => {
  it("deletes the caller's of that provider, and no others", async () => {
    const mine = { workspace_id: DEFAULT_WORKSPACE_ID, user_id: ADMIN_KEY_ID }
    const elsewhere = { ...mine, workspace_id: randomUUID() }
    const someoneElse = { ...mine, user_id: randomUUID() }
    const { tokens } = world.store.oauth
    for (const owner of [mine, mine, elsewhere, someoneElse]) {
      await tokens.insert(anOAuthToken({ ...owner, provider_id: 'github' }))
    }
    await tokens.insert(anOAuthToken({ ...mine, provider_id: 'slack' }))
    const { status, body } = await world.call('DELETE', '/v2/auth/tokens?provider_id=github')
    expect(status).toBe(200)
    expect(body).toEqual({ message: 'Deleted 2 tokens.', provider_id: 'github' })
    const left = await tokens.listOfUser(mine)
    expect(left.map((token) => token.provider_id)).toEqual(['slack'])
    expect(await tokens.listOfUser(elsewhere)).toHaveLength(1)
    expect(await tokens.listOfUser(someoneElse)).toHaveLength(1)
  })

  it('is no error when there are none', async () => {
    const { status, body } = await world.call('DELETE', '/v2/auth/tokens?provider_id=github')
    expect(status).toBe(200)
    expect(body).toEqual({ message: 'Deleted 0 tokens.', provider_id: 'github' })
  })

  it.each(['', '?provider_id='])('answers 422 without a provider_id (%j)', async (query) => {
    const { status, body } = await world.call('DELETE', `/v2/auth/tokens${query}`)
    expect(status).toBe(422)
    expect(body.detail[0].loc).toEqual(['query', 'provider_id'])
  })

  it('says that the provider_id is missing', async () => {
    const { body } = await world.call('DELETE', '/v2/auth/tokens')
    expect(body.detail[0].type).toBe('missing')
  })
})
