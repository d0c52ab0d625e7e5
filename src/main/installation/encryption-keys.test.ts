import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  aDeployment,
  anOAuthToken,
  aRevision,
} from '../../../test/support/control-plane/control-plane-records.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import { createSecretBox } from '../../storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../../storage/control-plane/store.ts'
import { openSqlite } from '../../storage/db/sqlite/db.ts'
import { EncryptionKeys } from './encryption-keys.ts'

let dataDir: string
let store: ControlPlaneStore | undefined
beforeEach(() => {
  dataDir = temporaryFolder()
})
afterEach(async () => {
  await store?.close()
})

const database = () => join(dataDir, 'control-plane.db')
const file = () => join(dataDir, 'encryption.key')
const lines = () => readFileSync(file(), 'utf8').trim().split('\n')

/** As a start does it, after what an earlier one has left. */
async function start(env: { encryptionKey?: Buffer; oldEncryptionKeys?: Buffer[] } = {}) {
  await store?.close()
  const { encryptionKey, oldEncryptionKeys = [] } = env
  const keys = new EncryptionKeys({ dataDir, encryptionKey, oldEncryptionKeys }, createSecretBox)
  store = await openControlPlaneStore(database(), keys.box)
  return { keys, store }
}

const owner = { workspace_id: anOAuthToken().workspace_id, user_id: 'user-1', limit: 10 }

/** More than one batch of them, and one of everything else that is sealed. */
async function fill({ deployments, revisions, oauth }: ControlPlaneStore) {
  const deployment = aDeployment()
  await deployments.insert(deployment)
  for (let count = 0; count < 120; count++) {
    await revisions.insert(aRevision({ deployment_id: deployment.id }))
  }
  const token = anOAuthToken()
  await oauth.tokens.insert(token)
  await oauth.tokens.insert(anOAuthToken({ refresh_token: null }))
  const latest = await deployments.get(deployment.id)
  return async (from: ControlPlaneStore) => {
    expect(await from.deployments.get(deployment.id)).toEqual(latest)
    expect(await from.oauth.tokens.listOfUser({ ...owner, limit: 10 })).toContainEqual(token)
    const page = { limit: 200, offset: 0 }
    expect(await from.revisions.list(deployment.id, page)).toHaveLength(120)
  }
}

/** Every text of the database that begins as a sealed one does, as what it begins with. */
async function seals(): Promise<Set<string>> {
  const db = await openSqlite(database())
  const tables = await db.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table'",
  )
  const rows = await Promise.all(tables.map(({ name }) => db.all<object>(`SELECT * FROM ${name}`)))
  await db.close()
  const texts = rows.flat().flatMap((row) => Object.values(row))
  return new Set(texts.flatMap((text) => /^v2:[\w-]{8}:/.exec(String(text))?.[0] ?? []))
}

describe('the encryption key of the data folder', () => {
  it('is made once, for its owner only', async () => {
    const { keys } = await start()
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    const before = keys.box.sealedPrefix
    expect((await start()).keys.box.sealedPrefix).toBe(before)
  })

  it('is changed: everything is sealed with the new one, and opens as before', async () => {
    const { keys, store } = await start()
    const expectAll = await fill(store)
    const before = keys.box.sealedPrefix
    expect(await keys.change(store)).toBe(1 + 120 + 3 + 1)
    expect(keys.box.sealedPrefix).not.toBe(before)
    expect(await seals()).toEqual(new Set([keys.box.sealedPrefix]))
    await expectAll(store)
    expect(readdirSync(dataDir)).not.toContain('encryption.key.new')
    expect(statSync(file()).mode & 0o777).toBe(0o600)
  })

  it('is alone in its file after the next start, which looks once more', async () => {
    const first = await start()
    const expectAll = await fill(first.store)
    await first.keys.change(first.store)
    const changed = first.keys.box.sealedPrefix
    expect(lines()).toHaveLength(2)
    const second = await start()
    expect(await second.keys.settle(second.store)).toBe(0)
    expect(lines()).toHaveLength(1)
    expect(second.keys.box.sealedPrefix).toBe(changed)
    await expectAll((await start()).store)
  })

  it.each([0, 1, 60])(
    'is changed to the end after a kill when %i texts were sealed anew',
    async (done) => {
      const first = await start()
      const expectAll = await fill(first.store)
      const before = first.keys.box.sealedPrefix
      const [old = ''] = lines()
      const next = randomBytes(32).toString('base64')
      writeFileSync(file(), `${next}\n${old}\n`)
      const killed = await start()
      if (done > 0) await resealSome(killed.keys, done)
      await expectAll(killed.store)
      const again = await start()
      expect(await again.keys.settle(again.store)).toBe(125 - done)
      expect(await seals()).not.toContain(before)
      await expectAll((await start()).store)
    },
  )

  it('stays in use when writing goes on during a change', async () => {
    const { keys, store } = await start()
    await fill(store)
    const writing = Array.from({ length: 30 }, () => store.deployments.insert(aDeployment()))
    const changing = keys.change(store)
    const more = Array.from({ length: 30 }, () => store.deployments.insert(aDeployment()))
    await expect(keys.change(store)).rejects.toMatchObject({ code: 'conflict' })
    await Promise.all([...writing, changing, ...more])
    expect(await seals()).toEqual(new Set([keys.box.sealedPrefix]))
  })

  it('keeps what URLs are signed with', async () => {
    const { keys, store } = await start()
    const { signingKey } = store
    expect(signingKey).toHaveLength(32)
    await keys.change(store)
    expect((await start()).store.signingKey).toEqual(signingKey)
  })
})

describe('the encryption key of the environment', () => {
  const [first, second] = [randomBytes(32), randomBytes(32)]

  it('is changed with the one before beside it, which is not needed afterwards', async () => {
    const before = await start({ encryptionKey: first })
    const expectAll = await fill(before.store)
    const { keys, store } = await start({ encryptionKey: second, oldEncryptionKeys: [first] })
    await expectAll(store)
    expect(await keys.settle(store)).toBe(125)
    await expectAll((await start({ encryptionKey: second })).store)
    expect(readdirSync(dataDir)).not.toContain('encryption.key')
    await expect(start({ encryptionKey: first })).rejects.toThrow('RUNYARD_ENCRYPTION_KEY_OLD')
  })

  it('is not changed by an operation', async () => {
    const { keys, store } = await start({ encryptionKey: first })
    await expect(keys.change(store)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('RUNYARD_ENCRYPTION_KEY_OLD'),
    })
  })
})

/** So many revisions sealed anew, as a change that was killed has left them. */
async function resealSome({ box }: EncryptionKeys, count: number): Promise<void> {
  const db = await openSqlite(database())
  const rows = await db.all<{ id: string; secrets: string }>(
    'SELECT id, secrets FROM revisions LIMIT $1',
    [count],
  )
  for (const { id, secrets } of rows) {
    const place = `revision/${id}/secrets`
    const resealed = box.seal(box.open(secrets, place), place)
    await db.run('UPDATE revisions SET secrets = $2 WHERE id = $1', [id, resealed])
  }
  await db.close()
}
