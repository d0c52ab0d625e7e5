/** By which labels a driver finds its containers again. None of them is secret. */
import { createHmac, randomUUID } from 'node:crypto'

export const INSTALLATION = 'runyard.installation'
export const DEPLOYMENT = 'runyard.deployment'
export const REVISION = 'runyard.revision'
export const REPLICA = 'runyard.replica'
/** On the container of a build command: the process that has begun it. */
export const BUILD = 'runyard.build'

/** This process's value of it. Another process of the installation has ended before this one builds. */
export const THIS_PROCESS = randomUUID()

/** Distinguishes the containers of several control planes on one engine. */
export function installationOf(key: Uint8Array): string {
  return derive(key, 'installation').slice(0, 16)
}

/** The gateway's token for a replica. It is derived and not stored: the next control plane derives it again. */
export function tokenOf(key: Uint8Array, replica: string): string {
  return derive(key, `gateway token of ${replica}`)
}

function derive(key: Uint8Array, what: string): string {
  return createHmac('sha256', key).update(`runyard docker: ${what}`).digest('hex')
}
