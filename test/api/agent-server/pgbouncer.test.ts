/** Two servers that reach PostgreSQL through PgBouncer in transaction mode. Skipped where there is none. */
import { afterEach, expect, test, vi } from 'vitest'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import { collect } from '../../support/agent/collect.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../../support/postgres/pgbouncer.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const servers: RunningAgentServer[] = []
let bouncer: PgBouncer | undefined

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
  await bouncer?.stop()
})

test.skipIf(!hasPgBouncer)('they share it, listen past it, and do runs in order', async () => {
  bouncer = await startPgBouncer(temporaryFolder())
  const dataDir = temporaryFolder()
  for (const _ of [1, 2]) servers.push(await startAgentServer({ dataDir, database: bouncer.url }))
  const [one, other] = servers as [RunningAgentServer, RunningAgentServer]
  const isConnected = () =>
    expect(servers.every(({ store }) => store.notices.isConnected)).toBe(true)
  await vi.waitFor(isConnected, { timeout: 30_000 })

  const { thread_id } = await one.client.threads.create()
  const labels = ['a', 'b', 'c', 'd', 'e', 'f']
  const runs = []
  for (const [i, label] of labels.entries()) {
    const { client } = i % 2 === 0 ? one : other
    const input = { label, count: 2, ms: 5 }
    runs.push(await client.runs.create(thread_id, 'slow', { input }))
  }
  const last = runs.at(-1)?.run_id ?? ''
  const parts = await collect(one.client.runs.joinStream(thread_id, last))
  expect(parts.map(({ id }) => id)).toEqual(parts.map((_, index) => `${index}`))
  const { values } = await other.client.threads.getState<{ steps: string[] }>(thread_id)
  expect(values.steps).toEqual(labels.flatMap((label) => [`${label}:1`, `${label}:2`]))
})
