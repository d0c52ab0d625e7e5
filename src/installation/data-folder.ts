/** The data folder of `runyard up`: who may use it, where things lie in it, its admin key. */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../core/errors.ts'
import { newKey } from '../core/people/api-key.ts'
import { replaceFile } from './replace-file.ts'

/** Where everything lies. `builds` holds sources and build logs, `deployments` what agents write. */
export interface DataFolder {
  database: string
  builds: string
  lock: string
  deploymentData(deployment_id: string): string
  deploymentLogs: string
  /** Removes what a deployment leaves beside its builds. */
  removeDeployment(deployment_id: string): Promise<void>
}

/** Makes the folder where there is none, for this user only. */
export function openDataFolder(dir: string): DataFolder {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new AppError('bad_request', `RUNYARD_DATA_DIR: cannot make the folder ${dir}.`, { cause })
  }
  const builds = join(dir, 'builds')
  const deploymentData = (deployment_id: string) => join(dir, 'deployments', deployment_id)
  return {
    database: join(dir, 'control-plane.db'),
    builds,
    lock: join(dir, 'lock.db'),
    deploymentData,
    deploymentLogs: join(dir, 'logs'),
    async removeDeployment(deployment_id) {
      await rm(deploymentData(deployment_id), { recursive: true, force: true })
      await rm(join(builds, 'uploads', deployment_id), { recursive: true, force: true })
    },
  }
}

/** A key of the installation, and whether this start made it. */
interface FoundKey {
  key: string
  isNew: boolean
}

/** From `RUNYARD_ADMIN_KEY`, else from `admin.key`, else made and kept there (mode 0600). */
export function findAdminKey(dataDir: string, adminKey: string | undefined): FoundKey {
  if (adminKey !== undefined) return { key: adminKey, isNew: false }
  return readOrMake(join(dataDir, 'admin.key'), newKey)
}

/** Names the folder among those of one database; from `instance.id`, made where it is missing. */
export function findInstanceId(dataDir: string): string {
  return readOrMake(join(dataDir, 'instance.id'), randomUUID).key
}

function readOrMake(file: string, make: () => string): FoundKey {
  if (existsSync(file)) return { key: readFileSync(file, 'utf8').trim(), isNew: false }
  const key = make()
  replaceFile(file, `${key}\n`)
  return { key, isNew: true }
}
