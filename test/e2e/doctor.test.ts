/** `runyard doctor`, the real binary, on a data folder that a whole Runyard has left. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { close, listen } from '../../src/http/listen.ts'
import { createSecretBox } from '../../src/storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../../src/storage/control-plane/store.ts'
import { DOMAIN_CERTIFICATE, EXPIRED_DOMAIN_CERTIFICATE } from '../support/gateway/certificate.ts'
import { freshPostgres } from '../support/postgres/postgres.ts'
import { startRunyard, type TestRunyard } from '../support/processes/runyard.ts'

const HOST = 'agents.example.com'
const RUNYARD = resolve(import.meta.dirname, '../../bin/runyard')

interface Finding {
  what: string
  status: string
  says: string
  mend?: string
}

let runyard: TestRunyard
beforeAll(async () => {
  runyard = await startRunyard()
  const made = await runyard.call('POST', '/v2/deployments', {
    name: 'support',
    source: 'internal_source',
    source_config: {},
    source_revision_config: {},
    secrets: [],
  })
  const { id } = made.body as { id: string }
  const domain = { host: HOST, ...DOMAIN_CERTIFICATE }
  await runyard.call('POST', `/v2/deployments/${id}/domains`, domain)
})
afterAll(() => rmSync(runyard.dataDir, { recursive: true, force: true }))

function doctor(args: string[] = [], env: Record<string, string> = {}) {
  const own = { PATH: process.env.PATH ?? '', RUNYARD_DATA_DIR: runyard.dataDir }
  return new Promise<{ code: number; stdout: string }>((settle) => {
    const options = { env: { ...own, ...env } }
    execFile(RUNYARD, ['doctor', '--port', '0', ...args], options, (error, stdout) =>
      settle({ code: error ? Number(error.code) : 0, stdout }),
    )
  })
}

/** The exit code, and what is not in order. */
async function wrong(args: string[] = [], env: Record<string, string> = {}) {
  const { code, stdout } = await doctor(['--json', ...args], env)
  const findings = (JSON.parse(stdout) as Finding[]).filter(({ status }) => status !== 'ok')
  return { code, findings }
}

/** One after the other: the first while the Runyard runs, the others on what it has left. */
describe('doctor', () => {
  it('finds nothing wrong with a Runyard that runs', async () => {
    const { port } = new URL(runyard.url)
    expect(await wrong(['--port', port])).toEqual({ code: 0, findings: [] })
    await runyard.halt()
  })

  it('has a line for everything that it looks at', async () => {
    const { code, stdout } = await doctor()
    expect(code).toBe(0)
    const lines = ['node', 'npm', 'git', 'disk', 'port', 'data folder', 'database']
    for (const what of [...lines, 'encryption key', 'domains', 'packages', 'orphans']) {
      expect(stdout).toMatch(new RegExp(`^ok +${what} `, 'm'))
    }
  })

  it('is content with a folder that is not there yet, and makes none', async () => {
    const folder = join(runyard.dataDir, 'not-yet')
    expect(await wrong([], { RUNYARD_DATA_DIR: folder })).toEqual({ code: 0, findings: [] })
    expect(await wrong([], { RUNYARD_DATA_DIR: folder })).toEqual({ code: 0, findings: [] })
  })

  it('says how to close key files, and what is left over', async () => {
    const key = join(runyard.dataDir, 'admin.key')
    const orphan = join(runyard.dataDir, 'logs', 'nobodys')
    chmodSync(key, 0o644)
    mkdirSync(orphan, { recursive: true })
    expect(await wrong()).toMatchObject({
      code: 1,
      findings: [
        { what: 'key files', status: 'failed', mend: `chmod 600 ${key}` },
        { what: 'orphans', status: 'warning', mend: `rm -r ${orphan}` },
      ],
    })
    chmodSync(key, 0o600)
    rmSync(orphan, { recursive: true })
    expect((await wrong()).code).toBe(0)
  })

  it('warns of the certificate of a domain that has expired', async () => {
    const database = new DatabaseSync(join(runyard.dataDir, 'control-plane.db'))
    const change = database.prepare('UPDATE domains SET certificate = ?')
    change.run(EXPIRED_DOMAIN_CERTIFICATE.certificate)
    const { code, findings } = await wrong()
    change.run(DOMAIN_CERTIFICATE.certificate)
    database.close()
    expect({ code, findings }).toMatchObject({
      code: 0,
      findings: [{ what: 'domains', status: 'warning', says: expect.stringContaining(HOST) }],
    })
  })

  it('warns of agents that see the keys of their callers', async () => {
    const database = new DatabaseSync(join(runyard.dataDir, 'control-plane.db'))
    database.exec('UPDATE deployments SET forwards_api_key = 1')
    const { code, findings } = await wrong()
    database.exec('UPDATE deployments SET forwards_api_key = 0')
    database.close()
    expect({ code, findings }).toMatchObject({
      code: 0,
      findings: [
        { what: 'keys of callers', status: 'warning', says: expect.stringContaining('support') },
      ],
    })
  })

  it('looks at the database of an older Runyard, which knew no domains', async () => {
    const database = new DatabaseSync(join(runyard.dataDir, 'control-plane.db'))
    database.exec('ALTER TABLE domains RENAME TO later')
    const { stdout } = await doctor()
    database.exec('ALTER TABLE later RENAME TO domains')
    database.close()
    expect(stdout).toMatch(/^ok +encryption key /m)
  })

  it('notices a port that something else has', async () => {
    const server = createServer((_, res) => res.end('not a Runyard'))
    const { port } = new URL(await listen(server, { host: '127.0.0.1', port: 0 }))
    expect(await wrong(['--port', port])).toMatchObject({ code: 1, findings: [{ what: 'port' }] })
    await close(server)
  })

  it('notices tools that are not there', async () => {
    const { code, findings } = await wrong([], { PATH: resolve(process.execPath, '..') })
    const missing = findings.map(({ what, status }) => `${what} ${status}`)
    expect(missing).toContain('git warning')
    expect(code).toBe(missing.includes('npm failed') ? 1 : 0)
  })

  it('notices an encryption key that is another, and one that is missing', async () => {
    const other = randomBytes(32).toString('base64')
    expect(await wrong([], { RUNYARD_ENCRYPTION_KEY: other })).toMatchObject({
      code: 1,
      findings: [{ what: 'encryption key', mend: expect.stringContaining('_OLD') }],
    })
    const file = join(runyard.dataDir, 'encryption.key')
    rmSync(file)
    expect(await wrong()).toMatchObject({
      code: 1,
      findings: [{ what: 'encryption key', says: `${file} is missing` }],
    })
    writeFileSync(file, `${other}\n`, { mode: 0o600 })
  })

  it('looks at a PostgreSQL too, and never shows its password', async () => {
    const RUNYARD_DATABASE_URL = await freshPostgres()
    const empty = await doctor([], { RUNYARD_DATABASE_URL })
    expect(empty).toMatchObject({ code: 0, stdout: expect.stringContaining('is empty') })
    const box = createSecretBox(randomBytes(32))
    await (await openControlPlaneStore(RUNYARD_DATABASE_URL, box)).close()
    const filled = await wrong([], { RUNYARD_DATABASE_URL })
    expect(filled).toMatchObject({ code: 1, findings: [{ what: 'encryption key' }] })
    const away = { RUNYARD_DATABASE_URL: 'postgres://me:s3cret@127.0.0.1:9/runyard' }
    const { code, stdout } = await doctor([], away)
    expect({ code, stdout }).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('127.0.0.1:9'),
    })
    expect(stdout).not.toContain('s3cret')
  })

  it('says why a database may not be used now, and what to do', async () => {
    const database = new DatabaseSync(join(runyard.dataDir, 'control-plane.db'))
    const held = "INSERT INTO schema_migrations VALUES (1000000, 'leaving id Run it again.')"
    database.exec(held)
    const { code, findings } = await wrong()
    database.exec('DELETE FROM schema_migrations WHERE version = 1000000')
    database.close()
    expect({ code, finding: findings[0] }).toMatchObject({
      code: 1,
      finding: { says: expect.stringContaining('not to be used now'), mend: 'Run it again.' },
    })
  })

  it('notices a database of a newer or too old Runyard, and one that is none', async () => {
    const file = join(runyard.dataDir, 'control-plane.db')
    for (const version of [999, 9]) {
      const database = new DatabaseSync(file)
      database.exec(
        'DELETE FROM schema_migrations WHERE version < (SELECT max(version) FROM schema_migrations)',
      )
      database.exec(`UPDATE schema_migrations SET version = ${version}`)
      database.close()
      const { findings } = await wrong()
      const says = expect.stringContaining(`version ${version}, this Runyard`)
      expect(findings).toMatchObject([{ what: 'database', says }, {}])
    }
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
    writeFileSync(
      file,
      'no database at all, and longer than the header of one would be. '.repeat(99),
    )
    expect(await wrong()).toMatchObject({
      code: 1,
      findings: [{ what: 'database', says: expect.stringContaining('does not open') }],
    })
  })
})
