import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import type { SecretBox } from '../../../core/secret-box.ts'
import { createSecretBox } from '../secret-box.ts'
import { openControlPlaneStore } from '../store.ts'

const OWNER = { workspace_id: 'w', user_id: 'u' }
const TOKEN = {
  ...OWNER,
  id: 'token-1',
  end_user_id: '',
  provider_key: 'key',
  provider_id: 'github',
  provider_account_label: null,
  account_id: null,
  access_token: 'access',
  refresh_token: 'refresh',
  scopes: [],
  asked_scopes: [],
  expires_at: null,
  status: 'active',
  is_default: true,
  metadata: {},
  version: 1,
  retry_at: null,
  refresh_failures: 0,
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
} as const

it('opens nothing of a token that is only listed, found or renamed, and each part once', async () => {
  const box = createSecretBox(randomBytes(32))
  let opened = 0
  const counting: SecretBox = {
    ...box,
    sealedPrefix: box.sealedPrefix,
    open: (sealed, place) => {
      if (place.startsWith('oauth-token/')) opened++
      return box.open(sealed, place)
    },
  }
  const store = await openControlPlaneStore(':memory:', counting)
  const { tokens } = store.oauth
  await tokens.insert({ ...TOKEN, scopes: [], asked_scopes: [] })
  const [listed] = await tokens.listOfUser({ ...OWNER, limit: 10 })
  await tokens.hasActive(OWNER, 'key')
  await tokens.update('token-1', { provider_account_label: 'work' })
  await tokens.get('token-1')
  expect(opened).toBe(0)
  expect([listed?.access_token, listed?.access_token, listed?.refresh_token]).toEqual([
    'access',
    'access',
    'refresh',
  ])
  expect(opened).toBe(2)
  await store.close()
})
