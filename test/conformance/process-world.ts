/** The process driver with stand-ins for agent servers, in a folder of its own. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/core/clock.ts'
import type { FolderArtifact, LocalProject } from '../../src/core/deployment/artifacts/artifact.ts'
import type { RuntimeSpec } from '../../src/core/deployment/runtime.ts'
import { silentLog } from '../../src/core/log.ts'
import type { ProcessDriverOptions } from '../../src/runtime/process/agent-process.ts'
import { createProcessDriver } from '../../src/runtime/process/driver.ts'
import { aFolder } from '../support/control-plane/fake-builder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { aDataKey, ask, type RuntimeDriverWorld } from './runtime-driver.ts'

export const STAND_IN = join(import.meta.dirname, '../fixtures/stand-in-agent-server.js')

export type Spec = RuntimeSpec<FolderArtifact>

export interface ProcessWorld extends RuntimeDriverWorld<FolderArtifact> {
  dir: string
}

export async function openProcessWorld(
  options: Partial<ProcessDriverOptions> = {},
): Promise<ProcessWorld> {
  const dir = temporaryFolder()
  const driver = createProcessDriver({
    command: { file: process.execPath, args: [STAND_IN] },
    locate: (artifact) => locate(dir, artifact),
    dataDir: (deployment_id) => join(dir, 'deployments', deployment_id),
    dataKey: aDataKey,
    logsDir: join(dir, 'logs'),
    env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' },
    clock: systemClock,
    log: silentLog,
    ...options,
  })
  return {
    dir,
    driver,
    spec: (behaviour, secrets = []) => makeSpec(dir, behaviour, secrets),
    async kill(revision_id) {
      const state = driver.observe(revision_id)
      if (state.kind !== 'healthy') throw new Error(`${revision_id} is ${state.kind}`)
      const about = await ask(state.endpoints[0])
      process.kill(about?.pid as number, 'SIGKILL')
    },
    close: () => driver.stopAll(0),
  }
}

/** A revision whose agent server behaves so, with its folder below `dir`. */
export function makeSpec(dir: string, behaviour: string, secrets: RuntimeSpec['secrets']): Spec {
  const revision_id = randomUUID()
  const artifact = aFolder(revision_id)
  const { root, configPath } = locate(dir, artifact)
  mkdirSync(root, { recursive: true })
  writeFileSync(configPath, JSON.stringify({ behaviour }))
  const owner = { deployment_id: randomUUID(), deployment_name: 'stand-in' }
  return { revision_id, ...owner, artifact, secrets, resource_spec: null }
}

export function locate(dir: string, { id, config_path }: FolderArtifact): LocalProject {
  const root = join(dir, 'revisions', id)
  return { root, configPath: join(root, config_path), bundlePath: null, node: null, python: null }
}
