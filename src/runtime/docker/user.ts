/** The user that containers run as. */
import { execFile } from 'node:child_process'
import { chownSync, lchownSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { DockerSettings } from './engine.ts'

/** Used if the control plane runs as root. */
export const OWN_USER = '10001:10001'

/** `UID:GID` */
export function userOf({ user }: Pick<DockerSettings, 'user'>): string {
  if (user !== undefined) return user
  const uid = process.getuid?.() ?? 0
  return uid === 0 ? OWN_USER : `${uid}:${process.getgid?.() ?? uid}`
}

/** Makes the user the owner of what lies there; follows no link out of the folder. */
export function giveTo(dir: string, user: string): void {
  const [uid = 0, gid = 0] = user.split(':').map(Number)
  if (statSync(dir).uid === uid) return
  for (const name of readdirSync(dir)) lchownSync(join(dir, name), uid, gid)
  chownSync(dir, uid, gid)
}

/** The same of all that lies below. Only root can: another user's containers are its own already. */
export async function giveAllTo(dir: string, user: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  await promisify(execFile)('chown', ['-hR', user, dir])
}
