/** The data folder of `runyard up`: its permissions, its paths, its admin key. */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../core/errors.ts'
import { newKey } from '../../core/people/api-key.ts'
import { replaceFile } from './key-file.ts'

/** The paths of the folder. `builds` contains sources and build logs, `deployments` files of agents. */
export interface DataFolder {
  database: string
  builds: string
  lock: string
  deploymentData(deployment_id: string): string
  deploymentLogs: string
  /** Removes a deployment's files beside its builds. */
  removeDeployment(deployment_id: string): Promise<void>
}

/** Makes the folder if it is missing, for this user only. */
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

/** From `RUNYARD_ADMIN_KEY`, else from `admin.key`, which is made if missing (mode 0600). */
export function findAdminKey(dataDir: string, adminKey: string | undefined): FoundKey {
  if (adminKey !== undefined) return { key: adminKey, isNew: false }
  return readOrMake(join(dataDir, 'admin.key'), newKey)
}

/** The folder's id among those of one database; from `instance.id`, which is made if missing. */
export function findInstanceId(dataDir: string): string {
  return readOrMake(join(dataDir, 'instance.id'), randomUUID).key
}

function readOrMake(file: string, make: () => string): FoundKey {
  if (existsSync(file)) return { key: readFileSync(file, 'utf8').trim(), isNew: false }
  const key = make()
  replaceFile(file, `${key}\n`)
  return { key, isNew: true }
}
