/** A real OpenSSH server on loopback that lets one key in, as the user of this process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { endTogether } from '../processes/end-together.ts'
import { freePort } from '../processes/free-port.ts'
import { runNow } from '../processes/program.ts'

const SSHD = '/usr/sbin/sshd'

/** Why there can be none on this machine. */
export const NO_SSH_SERVER = existsSync(SSHD) ? undefined : `there is no ${SSHD}`

export interface SshServer {
  /** `ssh://USER@127.0.0.1:PORT`; a path follows. */
  url: string
  /** The private key that is let in. */
  key: string
  /** Ends it; one that is started in the same folder afterwards has the given host key. */
  stop(): Promise<void>
}

/** `port` 0: a free one. Each start in a folder makes another host key. */
export async function startSshServer(folder: string, port = 0): Promise<SshServer> {
  // Where OpenSSH runs as root it separates its privileges, for which Debian has it use this folder.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  await mkdir(folder, { recursive: true })
  const hostKey = await makeKey(join(folder, `host-${Date.now()}`))
  const clientKey = await makeKey(join(folder, `client-${Date.now()}`))
  const chosen = port || (await freePort())
  const lines = [
    `Port ${chosen}`,
    'ListenAddress 127.0.0.1',
    `HostKey "${hostKey}"`,
    `AuthorizedKeysFile "${clientKey}.pub"`,
    `PidFile none`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    'LogLevel VERBOSE',
  ]
  const config = join(folder, 'sshd_config')
  await writeFile(config, `${lines.join('\n')}\n`)
  const child = spawn(SSHD, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  endTogether(child, 'SIGTERM')
  await listening(child)
  return {
    url: `ssh://${userInfo().username}@127.0.0.1:${chosen}`,
    key: await readFile(clientKey, 'utf8'),
    stop: async () => {
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

async function makeKey(path: string): Promise<string> {
  runNow('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path])
  return path
}

async function listening(child: ChildProcess): Promise<void> {
  let said = ''
  for await (const chunk of child.stderr ?? []) {
    said += String(chunk)
    if (said.includes('Server listening')) {
      child.stderr?.resume()
      return
    }
  }
  throw new Error(`sshd has ended: ${said}`)
}
