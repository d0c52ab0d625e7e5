/** By which labels a driver finds its containers again. None of them is secret. */
import { createHmac, randomUUID } from 'node:crypto'

export const INSTALLATION = 'runyard.installation'
export const DEPLOYMENT = 'runyard.deployment'
export const REVISION = 'runyard.revision'
export const REPLICA = 'runyard.replica'
/** Of a container that a command of a build runs in: which process has begun it. */
export const BUILD = 'runyard.build'

/** What this process writes there. Another one that works for the installation has ended before this one builds. */
export const THIS_PROCESS = randomUUID()

/** Whose containers are whose, of several control planes on one engine. */
export function installationOf(key: Uint8Array): string {
  return derive(key, 'installation').slice(0, 16)
}

/**
 * The gateway's token for a replica. It is derived and kept nowhere, so that the control plane that comes
 * after this one finds it again.
 */
export function tokenOf(key: Uint8Array, replica: string): string {
  return derive(key, `gateway token of ${replica}`)
}

function derive(key: Uint8Array, what: string): string {
  return createHmac('sha256', key).update(`runyard docker: ${what}`).digest('hex')
}
