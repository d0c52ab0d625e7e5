import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  aDeployment,
  aDomain,
  anApiKey,
  anAuditEntry,
  anOAuthConsent,
  anOAuthProvider,
  anOAuthToken,
  aRevision,
} from '../../../test/support/control-plane/control-plane-records.ts'
import { postgresUrl } from '../../../test/support/postgres/postgres.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import { DEPLOYMENT_STATUSES } from '../../core/deployment/deployment.ts'
import { REVISION_REASONS, REVISION_STATUSES } from '../../core/deployment/revision.ts'
import { SOURCES } from '../../core/deployment/sources/table.ts'
import { CONSENT_STATUSES } from '../../core/oauth/consent.ts'
import {
  CODE_CHALLENGE_METHODS,
  PROVIDER_TYPES,
  TOKEN_ENDPOINT_AUTH_METHODS,
} from '../../core/oauth/provider.ts'
import { TOKEN_STATUSES } from '../../core/oauth/token.ts'
import { TOKEN_EVENT_TYPES } from '../../core/oauth/token-event.ts'
import { DEFAULT_WORKSPACE_ID, ROLES } from '../../core/people/api-key.ts'
import { openSqlite } from '../db/sqlite/db.ts'
import { postgresSchema, sqliteSchema } from '../migrations/snapshot.ts'
import { createSecretBox } from './secret-box.ts'
import { CONTROL_PLANE_MIGRATIONS, openControlPlaneStore } from './store.ts'

const SNAPSHOT = new URL('../schema/control-plane.sqlite.sql', import.meta.url)
const POSTGRES_SNAPSHOT = new URL('../schema/control-plane.postgres.sql', import.meta.url)

let folder: string
let path: string
const box = createSecretBox(randomBytes(32))
const opened: ControlPlaneStore[] = []

async function open(withBox = box): Promise<ControlPlaneStore> {
  const store = await openControlPlaneStore(path, withBox)
  opened.push(store)
  return store
}

beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'control-plane.db')
})

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

describe('the control plane’s database', () => {
  it('keeps everything over a restart, and one default workspace', async () => {
    const first = await open()
    const deployment = aDeployment()
    await first.deployments.insert(deployment)
    const revision = await first.revisions.insert(aRevision({ deployment_id: deployment.id }))
    await first.close()
    const second = await open()
    expect(await second.revisions.get(deployment.id, revision.id)).toEqual(revision)
    await second.close()
    const db = await openSqlite(path)
    const workspaces = await db.all('SELECT id, name FROM workspaces')
    await db.close()
    expect(workspaces).toEqual([{ id: DEFAULT_WORKSPACE_ID, name: 'Default' }])
  })

  it('holds no secret and no OAuth token in readable form, in any of its files', async () => {
    const store = await open()
    const secrets = [{ name: 'SECRET-NAME', value: 'PLAIN-1' }]
    const deployment = aDeployment({ secrets })
    await store.deployments.insert(deployment)
    await store.revisions.insert(aRevision({ deployment_id: deployment.id, secrets }))
    await store.deployments.update(deployment.id, {
      secrets: [{ name: 'SECRET-NAME', value: 'PLAIN-2' }],
      updated_at: deployment.updated_at,
    })
    await store.oauth.tokens.insert(
      anOAuthToken({ access_token: 'PLAIN-3', refresh_token: 'PLAIN-4' }),
    )
    await store.oauth.providers.insert(anOAuthProvider({ client_secret: 'PLAIN-5' }))
    const ofConsent = {
      state: 'PLAIN-6',
      code_verifier: 'PLAIN-7',
      nonce: 'n',
      browser_key: 'PLAIN-8',
    }
    await store.oauth.consents.insert(anOAuthConsent({ secrets: ofConsent }))
    const domain = aDomain({ deployment_id: deployment.id })
    await store.domains.insert(domain)
    const given = { certificate: 'CHAIN', private_key: 'PLAIN-9' }
    await store.domains.setCertificate(domain.id, given, domain.updated_at)
    expect(rawBytes()).toContain(deployment.name)
    expect(rawBytes()).not.toMatch(/PLAIN-|SECRET-NAME/)
    await store.close()
    expect(rawBytes()).toContain(deployment.name)
    expect(rawBytes()).not.toMatch(/PLAIN-|SECRET-NAME/)
  })

  it('does not open a secret that was copied to another row', async () => {
    const store = await open()
    const [one, other] = [aDeployment(), aDeployment()]
    await store.deployments.insert(one)
    await store.deployments.insert(other)
    const db = await openSqlite(path)
    const copy = 'UPDATE deployments SET secrets = (SELECT secrets FROM deployments WHERE id = $1)'
    await db.run(copy, [one.id])
    await db.close()
    expect(await store.deployments.get(one.id)).toEqual(one)
    const copied = await store.deployments.get(other.id)
    expect(() => copied?.secrets).toThrow(/does not open/)
  })

  it('is not opened with another key, and says which variable to set', async () => {
    await (await open()).close()
    await expect(open(createSecretBox(randomBytes(32)))).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('RUNYARD_ENCRYPTION_KEY'),
    })
    await expect(open()).resolves.toBeDefined()
  })

  it.each([
    ["UPDATE audit_log SET actor_name = 'somebody else'", 'never changed'],
    ['DELETE FROM audit_log', 'nothing is removed'],
  ])('refuses to let the audit log be rewritten: %s', async (sql, why) => {
    const store = await open()
    const workspace_id = DEFAULT_WORKSPACE_ID
    await store.auditLog.append(anAuditEntry({ workspace_id }))
    const db = await openSqlite(path)
    await expect(db.run(sql)).rejects.toThrow(why)
    await db.close()
    expect((await store.auditLog.list({ workspace_id }, { limit: 2 })).entries).toHaveLength(1)
  })

  it('is seen alike by two processes that have it open', async () => {
    const [one, other] = [await open(), await open()]
    const key = anApiKey()
    await one.apiKeys.put(key)
    expect(await other.apiKeys.findByHash(key.key_hash)).toEqual(key)
  })
})

describe('the schema', () => {
  it('is the one in the snapshot', async () => {
    expect(readFileSync(SNAPSHOT, 'utf8')).toBe(await sqliteSchema(CONTROL_PLANE_MIGRATIONS))
  })

  it('is the one in the snapshot on PostgreSQL', async () => {
    const schema = await postgresSchema(await postgresUrl(), CONTROL_PLANE_MIGRATIONS)
    expect(schema).toBe(readFileSync(POSTGRES_SNAPSHOT, 'utf8'))
  })

  it.each([
    ['deployments', 'status', DEPLOYMENT_STATUSES],
    ['deployments', 'source', SOURCES],
    ['revisions', 'status', REVISION_STATUSES],
    ['revisions', 'source', SOURCES],
    ['revisions', 'made_for', REVISION_REASONS],
    ['api_keys', 'role', ROLES],
    ['oauth_providers', 'provider_type', PROVIDER_TYPES],
    ['oauth_providers', 'code_challenge_method', CODE_CHALLENGE_METHODS],
    ['oauth_providers', 'token_endpoint_auth_method', TOKEN_ENDPOINT_AUTH_METHODS],
    ['oauth_tokens', 'status', TOKEN_STATUSES],
    ['oauth_consents', 'status', CONSENT_STATUSES],
    ['oauth_token_events', 'event_type', TOKEN_EVENT_TYPES],
  ])('allows in %s.%s exactly what core lists', async (table, column, list) => {
    const schema = await sqliteSchema(CONTROL_PLANE_MIGRATIONS)
    const definition = schema.split(`CREATE TABLE ${table} `)[1]?.split(';')[0] ?? ''
    const words = new RegExp(`CHECK \\(${column} IN \\(([^)]*)\\)`).exec(definition)?.[1]
    expect(words?.match(/\w+/g)).toEqual([...list])
  })
})

function rawBytes(): string {
  return readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'latin1'))
    .join('\n')
}
