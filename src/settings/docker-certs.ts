/** The certificates for a container engine on another machine. */
import { accessSync, constants } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Settings } from './settings.ts'

const NAME = 'RUNYARD_DOCKER_CERTS'
const FILES = ['ca.pem', 'cert.pem', 'key.pem']

/**
 * The folder; absolute. `undefined`: none, and no TLS. Docker's own variables count for an engine at `tcp://`. Problems
 * with the folder are reported here rather than by every container.
 */
export function readDockerCerts(
  read: Settings,
  host: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const certs = read.path(NAME) ?? (host?.startsWith('tcp:') ? dockersOwn(env) : undefined)
  if (certs === undefined) return undefined
  if (!host?.startsWith('tcp:')) read.problem(NAME, 'is for an engine at tcp://HOST:PORT alone')
  const missing = FILES.filter((file) => !isReadable(join(certs, file)))
  if (missing.length > 0) {
    read.problem(
      NAME,
      `must be a folder with ca.pem, cert.pem and key.pem; ${missing.join(' and ')} cannot be read`,
    )
  }
  return certs
}

/** Docker uses its folder below the home if no other is named: it never omits TLS for that. */
function dockersOwn(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (!env.DOCKER_TLS_VERIFY) return undefined
  return env.DOCKER_CERT_PATH ? resolve(env.DOCKER_CERT_PATH) : join(env.HOME || '/', '.docker')
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}
