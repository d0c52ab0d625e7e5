/**
 * `kill -9` of the control plane at random moments of rollouts, builds, rollbacks and deletes: each
 * goes on where it was at the next start, and nothing is left half done.
 */
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isOver, type Revision } from '../../client/src/client.ts'
import { processesIn } from '../support/processes/processes.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { effort, SEED } from './effort.ts'
import { Random } from './random.ts'
import { RolledOut } from './rollouts.ts'

const KILLS = effort({ short: 4, whole: 50 })
const LIMIT_MS = effort({ short: 600_000, whole: 1_500_000 })
const COMMAND = new URL('../../bin/runyard', import.meta.url).pathname
const KEY = 'ry_the_key_of_the_kills'

const dataDir = temporaryFolder()
let runyard: ServeProcess
const source = new RolledOut('killed')
const doomed = new RolledOut('doomed')

beforeAll(async () => {
  runyard = await start()
})
afterAll(async () => {
  await runyard.stop()
  source.remove()
  doomed.remove()
})

test(
  `what was begun ends right after ${KILLS} kills of the control plane (seed ${SEED})`,
  async () => {
    const random = new Random(SEED)
    const { id } = await create(source)
    await untilRest(id)
    let kept = 0
    for (let kill = 0; kill < KILLS; kill += 1) {
      const asked = begin(id, random.between(0, 3)).catch(() => undefined)
      // Every other kill comes after the answer, however long a busy machine takes for it.
      if (kill % 2 === 1) await asked
      await wait(random.between(0, 2500))
      const gone = once(runyard.process, 'exit')
      runyard.process.kill('SIGKILL')
      await gone
      if ((await asked) === true) kept += 1
      runyard = await start()
    }
    expect(kept, 'requests that were answered before a kill').toBeGreaterThan(0)
    await untilRest(id)
    await untilDoomedIsGone()
    await expectWhole(id)
  },
  LIMIT_MS,
)

function start(): Promise<ServeProcess> {
  const env = {
    RUNYARD_DATA_DIR: dataDir,
    RUNYARD_PORT: '0',
    RUNYARD_EXAMPLE: '0',
    RUNYARD_ADMIN_KEY: KEY,
    RUNYARD_DRAIN_SECS: '1',
  }
  return startServeProcess(COMMAND, ['up'], { cwd: dataDir, env })
}

/** One thing or the other is asked for. `true`: it was acknowledged. */
async function begin(id: string, choice: number): Promise<boolean> {
  if (choice === 0) return isDone(await call('POST', `/v2/deployments/${id}/rollback`, {}))
  if (choice === 1) return makeOrDelete()
  const change = { source_revision_config: { repo_ref: 'main' } }
  return isDone(await call('PATCH', `/v2/deployments/${id}`, change))
}

async function makeOrDelete(): Promise<boolean> {
  const there = await find('doomed')
  if (!there) return isDone(await call('POST', '/v2/deployments', doomed.request))
  return isDone(await call('DELETE', `/v2/deployments/${there.id}`))
}

const isDone = ({ status }: { status: number }) => status < 300

async function create(of: RolledOut): Promise<{ id: string }> {
  return (await call('POST', '/v2/deployments', of.request)).body as { id: string }
}

/** Settles when no revision of the deployment is on its way. */
async function untilRest(id: string): Promise<void> {
  for (;;) {
    const revisions = await revisionsOf(id)
    if (revisions.every(({ status }) => isOver(status))) return
    await wait(100)
  }
}

async function untilDoomedIsGone(): Promise<void> {
  const there = await find('doomed')
  if (!there) return
  await call('DELETE', `/v2/deployments/${there.id}`)
  while (await find('doomed')) await wait(100)
}

async function expectWhole(id: string): Promise<void> {
  const { active_revision_id } = (await call('GET', `/v2/deployments/${id}`)).body as {
    active_revision_id: string
  }
  const revisions = await revisionsOf(id)
  for (const { status } of revisions) expect(status).toMatch(/^(DEPLOYED|SKIPPED|INTERRUPTED)$/)
  const newest = revisions.find(({ status }) => status === 'DEPLOYED')
  expect(active_revision_id).toBe(newest?.id)
  const request = { assistant_id: 'slow', input: { label: 'a', count: 1, ms: 1 } }
  const run = await call('POST', '/agents/killed/runs/wait', request)
  expect(run).toMatchObject({ status: 200, body: { steps: ['a:1'] } })
  expect(readdirSync(join(dataDir, 'deployments'))).toEqual([id])
  const known = new Set(revisions.map((revision) => revision.id))
  const folders = readdirSync(join(dataDir, 'builds', 'revisions'))
  expect(folders.filter((folder) => !known.has(folder))).toEqual([])
  expect(existsSync(join(dataDir, 'builds', 'revisions', active_revision_id))).toBe(true)
  // Those of killed ones see their parent gone within seconds.
  await expect.poll(agentServers).toHaveLength(1)
}

/** Every agent server on this machine that works in the data folder. */
const agentServers = () => processesIn(join(dataDir, 'deployments'))

async function find(name: string): Promise<{ id: string } | undefined> {
  const { body } = await call('GET', `/v2/deployments?name=${name}`)
  return (body as { resources: { id: string }[] }).resources[0]
}

async function revisionsOf(id: string): Promise<Revision[]> {
  const { body } = await call('GET', `/v2/deployments/${id}/revisions?limit=100`)
  return (body as { resources: Revision[] }).resources
}

async function call(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(runyard.url + path, {
    method,
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}
