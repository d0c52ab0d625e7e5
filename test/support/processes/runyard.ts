/** A whole Runyard from the real composition root, on a free port, in a folder of its own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isOver, type Revision } from '../../../client/src/client.ts'
import { startUp } from '../../../src/main/up.ts'
import { readUpConfig } from '../../../src/settings/config.ts'
import { createLog } from '../../../src/telemetry/log.ts'

/** Rollouts are seen by polling, as clients see them. */
const POLL_MS = 100

export interface TestRunyard {
  url: string
  adminKey: string
  dataDir: string
  /** A call to the control plane with the admin key; answers status and parsed body. */
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>
  /** The deployment's latest revision at its end, whatever that is. */
  untilOver(deployment: { id: string; latest_revision_id: string }): Promise<Revision>
  /** Stops it and keeps its data folder: for a second start. */
  halt(): Promise<void>
  /** Stops it and removes its data folder. */
  stop(): Promise<void>
}

/** Starts without the example agent. `dataDir` of a halted one continues it; `env` is added. */
export async function startRunyard(
  options: { dataDir?: string; env?: Record<string, string> } = {},
): Promise<TestRunyard> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'runyard-e2e-')))
  const env = { ...process.env, RUNYARD_DATA_DIR: dataDir, RUNYARD_PORT: '0', ...options.env }
  const running = await startUp(readUpConfig({}, env), createLog('error'))
  const { url, adminKey } = running
  await running.whenServing(120_000)
  return {
    url,
    adminKey,
    dataDir,
    call: (method, path, body) => call(url, adminKey, { method, path, body }),
    async untilOver({ id, latest_revision_id }) {
      const path = `/v2/deployments/${id}/revisions/${latest_revision_id}`
      for (;;) {
        const revision = (await call(url, adminKey, { method: 'GET', path, body: undefined })).body
        if (isOver((revision as Revision).status)) return revision as Revision
        await delay(POLL_MS)
      }
    },
    halt: () => running.stop(),
    async stop() {
      await running.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function call(
  url: string,
  key: string,
  request: { method: string; path: string; body: unknown },
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${request.path}`, {
    method: request.method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}
