/** The cost of a control plane while its deployments get no requests. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createSecretBox } from '../../src/storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../../src/storage/control-plane/store.ts'
import { aDeployment, aRevision } from '../../test/support/control-plane/control-plane-records.ts'
import type { OpenRow, Row } from '../row.ts'
import { startServer, temporaryFolder } from '../server.ts'

const DEPLOYMENTS = 200
const LOOK_MS = 10_000
/** Until then an idle process has released its spare memory (`process/heap.ts`). */
const SETTLE_MS = 30_000

/** The agent servers are stopped (`min_scale` 0): each deployment sleeps. */
export const idleMemoryRow: Row = {
  name: 'idle-memory',
  title: `memory of the control plane, ${DEPLOYMENTS} deployments that sleep`,
  unit: 'MB',
  pairs: 3,
  open: () => openIdle(({ memoryMb }) => memoryMb()),
}

export const idleCpuRow: Row = {
  name: 'idle-cpu',
  title: `CPU time of the control plane in ${LOOK_MS / 1000} s, ${DEPLOYMENTS} deployments that sleep`,
  unit: 'ms',
  pairs: 3,
  open: () =>
    openIdle(async ({ cpuMs }) => {
      const before = await cpuMs()
      await delay(LOOK_MS)
      return (await cpuMs()) - before
    }),
}

interface Observed {
  memoryMb(): Promise<number>
  cpuMs(): Promise<number>
  close(): Promise<void>
}

async function openIdle(look: (observed: Observed) => Promise<number>): Promise<OpenRow> {
  const full = await startWith(DEPLOYMENTS)
  const empty = await startWith(0)
  await delay(SETTLE_MS)
  return {
    figure: () => look(full),
    floors: { 'no deployment': () => look(empty) },
    async close() {
      for (const one of [full, empty]) await one.close()
    },
  }
}

async function startWith(count: number): Promise<Observed> {
  const data = await temporaryFolder()
  const key = randomBytes(32)
  await seed(join(data.path, 'control-plane.db'), key, count)
  const env = {
    RUNYARD_DATA_DIR: data.path,
    RUNYARD_EXAMPLE: '0',
    RUNYARD_ENCRYPTION_KEY: key.toString('base64'),
  }
  const server = await startServer(['up'], { cwd: data.path, env })
  const apiKey = /^admin key (\S+)$/m.exec(server.output)?.[1] ?? ''
  const metric = async (name: string) => {
    const response = await fetch(`${server.url}/metrics`, { headers: { 'x-api-key': apiKey } })
    const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(await response.text())?.[1]
    if (value === undefined) throw new Error(`There is no metric ${name}.`)
    return Number(value)
  }
  return {
    memoryMb: async () => (await metric('process_resident_memory_bytes')) / 1e6,
    cpuMs: async () => (await metric('process_cpu_seconds_total')) * 1000,
    async close() {
      await server.stop()
      await data.remove()
    },
  }
}

/** Writes deployments that were deployed and went to sleep. */
async function seed(path: string, key: Buffer, count: number): Promise<void> {
  const store = await openControlPlaneStore(path, createSecretBox(key))
  const at = new Date().toISOString()
  for (let i = 0; i < count; i++) {
    const source_config = { resource_spec: { min_scale: 0 } }
    const deployment = aDeployment({ name: `bench-${i}`, status: 'READY', source_config })
    const revision = aRevision({
      deployment_id: deployment.id,
      status: 'DEPLOYED',
      deployed_at: at,
      source_config,
    })
    await store.deployments.insert(deployment)
    await store.revisions.insert(revision)
    const is = { latest_revision_id: revision.id, active_revision_id: revision.id }
    await store.deployments.update(deployment.id, {
      ...is,
      asleep_since: at,
      updated_at: at,
    })
  }
  await store.close()
}
