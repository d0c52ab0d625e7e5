/** How git reaches a repository over ssh: with the deployment's own key and with nothing else. */
import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { knownHostsPath, unfinishedFolder } from '../layout.ts'

export interface SshAccess {
  /** The private key's file; `undefined`: there is none, and only a public server lets git in. */
  keyPath: string | undefined
  /** Where the keys of hosts are remembered: a host that was seen once must show the same again. */
  knownHostsPath: string
}

/**
 * Calls `work` with a deployment's access. Meanwhile the key lies in a file that only this user can read; after a crash
 * the next start removes it.
 */
export async function withSshAccess<T>(
  dir: string,
  deployKey: string | undefined,
  work: (access: SshAccess) => Promise<T>,
): Promise<T> {
  const folder = join(unfinishedFolder(dir), randomUUID())
  const keyPath = deployKey === undefined ? undefined : join(folder, 'deploy-key')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    if (keyPath) await writeFile(keyPath, keyText(deployKey ?? ''), { mode: 0o600 })
    return await work({ keyPath, knownHostsPath: knownHostsPath(dir) })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * The environment in which git starts ssh. Paths are passed as variables: git hands the command to a shell. The
 * machine's own keys, agents and settings are not used: they are not the deployment's.
 */
export function sshEnvironment(access: SshAccess): Record<string, string> {
  const options = [
    'BatchMode=yes',
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'StrictHostKeyChecking=accept-new',
    'GlobalKnownHostsFile=/dev/null',
    `UserKnownHostsFile=\\"$BUILD_KNOWN_HOSTS\\"`,
    access.keyPath ? `IdentityFile=\\"$BUILD_DEPLOY_KEY\\"` : 'IdentityFile=none',
  ]
  return {
    GIT_SSH_COMMAND: ['ssh -F /dev/null', ...options.map((one) => `-o "${one}"`)].join(' '),
    GIT_SSH_VARIANT: 'ssh',
    BUILD_KNOWN_HOSTS: access.knownHostsPath,
    BUILD_DEPLOY_KEY: access.keyPath ?? '',
  }
}

/** OpenSSH takes no key whose last line is not ended, nor one with the line ends of Windows. */
function keyText(key: string): string {
  return `${key.replaceAll('\r\n', '\n').trim()}\n`
}
