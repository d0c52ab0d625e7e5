/** Finds the sandbox that works on this machine, and makes it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { sep } from 'node:path'
import {
  noSandbox,
  placesBelow,
  type Sandbox,
  type SandboxSetting,
  type SandboxView,
} from '../core/deployment/sandbox.ts'
import { AppError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import {
  closeDataFolder,
  findUser,
  giveTo,
  handOverTo,
  openToAll,
  openWay,
  readableBy,
  type SecondUser,
} from './second-user.ts'

interface SandboxOptions {
  setting: SandboxSetting
  /** Absolute. */
  dataDir: string
  /** The files that every command may read: Runyard itself, its Node, certificates. */
  readable: readonly string[]
  /** The users that `auto` tries, the first existing one wins. Default: `runyard-agent`, then `nobody`. */
  users?: readonly string[]
  log: Log
}

const USERS = ['runyard-agent', 'nobody']
const TRIAL_MS = 10_000

interface Kind {
  user?: SecondUser
  isBubblewrap: boolean
}

/**
 * Makes the sandbox that the setting asks for. Throws `bad_request`, with what to do, when that does not
 * work here. With `auto` the log says what is used instead.
 */
export function openSandbox(options: SandboxOptions): Sandbox {
  const { setting, log } = options
  if (setting.mode === 'off') return noSandbox
  const kind = setting.mode === 'auto' ? findKind(options) : givenKind(options)
  const { user, isBubblewrap } = kind
  if (!user && !isBubblewrap) {
    log.warn({}, 'RUNYARD_SANDBOX=auto: neither bubblewrap nor a second user works here')
    return noSandbox
  }
  log.info({ user: user?.name, bubblewrap: isBubblewrap }, 'projects run in a sandbox')
  return createSandbox(kind, options)
}

function createSandbox({ user, isBubblewrap }: Kind, options: SandboxOptions): Sandbox {
  const { dataDir } = options
  const readable = readableBy(user, options.readable)
  if (user) closeDataFolder(dataDir)
  return {
    hasOwnUser: user !== undefined,
    confine(command, view) {
      for (const folder of view.writable) {
        if (user) giveTo(user, folder)
        else mkdirSync(folder, { recursive: true, mode: 0o700 })
      }
      if (user) for (const path of view.writable) openWay(dataDir, path)
      if (user) for (const path of view.readable) openToAll(dataDir, path)
      const whole = { ...view, readable: [...readable, ...view.readable] }
      const env = { ...view.variables, ...placesBelow(view.writable.at(-1) ?? '/tmp') }
      const as = user && { uid: user.uid, gid: user.gid }
      if (!isBubblewrap) return { command, ...as, env, hasMonitor: false }
      return {
        command: [...bubblewrapArguments(whole, dataDir), ...command],
        ...as,
        ...(view.variables ? { env: {}, input: setVariables(env) } : { env }),
        hasMonitor: true,
      }
    },
    async handOver(folder) {
      if (user) await handOverTo(user, folder)
    },
  }
}

function givenKind(options: SandboxOptions): Kind {
  const { user: name, isBubblewrap = false } = options.setting
  if (name !== undefined && process.getuid?.() !== 0) {
    throw refusal(`user:${name} needs Runyard to be started as root; bwrap does not`)
  }
  const kind = { ...(name !== undefined && { user: findUser(name) }), isBubblewrap }
  const failure = tryOut(kind, options)
  if (failure !== undefined) throw refusal(failure)
  return kind
}

/** The best sandbox that works here. */
function findKind(options: SandboxOptions): Kind {
  const user = process.getuid?.() === 0 ? firstUser(options.users ?? USERS) : undefined
  const withUser = user && { user }
  const kinds: Kind[] = [
    { ...withUser, isBubblewrap: true },
    { ...withUser, isBubblewrap: false },
  ]
  return kinds.find((kind) => tryOut(kind, options) === undefined) ?? { isBubblewrap: false }
}

function firstUser(names: readonly string[]): SecondUser | undefined {
  for (const name of names) {
    try {
      return findUser(name)
    } catch {
      // Tries the next one.
    }
  }
  return undefined
}

/** Runs our Node in the sandbox. Returns why that failed, or nothing. */
function tryOut({ user, isBubblewrap }: Kind, options: SandboxOptions): string | undefined {
  if (!user && !isBubblewrap) return undefined
  const { dataDir } = options
  // A second user must also reach the data folder: home folders are closed to others.
  const script = user && !isBubblewrap ? `fs.accessSync(${JSON.stringify(dataDir)})` : ''
  const command: [string, ...string[]] = [process.execPath, '-e', script]
  if (user) closeDataFolder(dataDir)
  try {
    const readable = readableBy(user, options.readable)
    const view: SandboxView = { cwd: '/', readable, writable: [] }
    const [file, ...args] = isBubblewrap
      ? [...bubblewrapArguments(view, dataDir), ...command]
      : command
    const as = user && { uid: user.uid, gid: user.gid }
    execFileSync(file as string, args, { ...as, cwd: '/', timeout: TRIAL_MS, stdio: 'pipe' })
    return undefined
  } catch (error) {
    return describe(error, { ...(user && { user }), isBubblewrap }, dataDir)
  }
}

function describe(error: unknown, { user, isBubblewrap }: Kind, dataDir: string): string {
  const { code, stderr } = error as { code?: string; stderr?: Buffer }
  const said = stderr?.toString().trim().split('\n')[0]
  if (isBubblewrap && code === 'ENOENT') return 'bubblewrap is not installed: there is no bwrap'
  const because = said ? ` (${said})` : ''
  if (isBubblewrap) return `bubblewrap does not work here${because}: are user namespaces allowed?`
  const places = `${dataDir} and ${process.execPath}`
  return `the user ${user?.name} must be able to reach ${places}${because}: neither may lie in a closed home`
}

function refusal(why: string): AppError {
  return new AppError('bad_request', `RUNYARD_SANDBOX: ${why}.`)
}

// The part of the machine that a command sees through bubblewrap: programs and libraries, the files that
// it is given, an empty `/tmp`, and nothing else. Of the data folder it sees only what it is given,
// wherever that folder is.
//
// The process has its own user namespace, so that the kernel keeps it from the environment, the memory and the open
// files of processes outside. Process ids are those of the machine: agent servers on one database check by them which
// of them are alive.

/** Programs and libraries, and the files by which they find names, hosts, certificates and the time. */
const MACHINE = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/opt', '/nix'],
  ...['passwd', 'group', 'hosts', 'host.conf', 'resolv.conf', 'nsswitch.conf', 'gai.conf'].map(etc),
  ...['services', 'protocols', 'localtime', 'timezone', 'machine-id', 'mime.types'].map(etc),
  // Private keys lie in the same folder, which Runyard's user may be able to read.
  ...['ssl/certs', 'ssl/cert.pem', 'ssl/ca-bundle.pem', 'ssl/openssl.cnf'].map(etc),
  ...['pki/tls/certs', 'pki/tls/cert.pem', 'pki/tls/openssl.cnf', 'pki/ca-trust'].map(etc),
  ...['pki/trust', 'ca-certificates', 'crypto-policies', 'alternatives', 'fonts'].map(etc),
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'gitconfig'].map(etc),
  '/run/systemd/resolve',
  // A PostgreSQL of this machine may be reached through its socket.
  ...['/run/postgresql', '/var/run/postgresql'],
]

/** The words that are put before a command. */
function bubblewrapArguments(
  { cwd, readable, writable, variables }: SandboxView,
  dataDir: string,
): [string, ...string[]] {
  const isWithin = (path: string) => path.startsWith(dataDir + sep)
  const readOnly = (path: string) => ['--ro-bind-try', path, path]
  return [
    'bwrap',
    ...['--unshare-user', '--unshare-ipc', '--unshare-uts', '--die-with-parent'],
    ...['--cap-drop', 'ALL'],
    ...MACHINE.flatMap(readOnly),
    ...['--ro-bind', '/proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...readable.filter((path) => !isWithin(path)).flatMap(readOnly),
    ...['--tmpfs', dataDir],
    ...readable.filter(isWithin).flatMap(readOnly),
    ...writable.flatMap((path) => ['--bind', path, path]),
    ...(variables ? ['--args', '4'] : []),
    ...['--chdir', cwd, '--'],
  ]
}

/**
 * The environment of a command, in the form that `bwrap --args` reads. Other users could read it on a
 * command line, and in bubblewrap's own environment it could take control of bubblewrap. Throws
 * `bad_request` for a value that no environment can hold.
 */
function setVariables(variables: Readonly<Record<string, string>>): string {
  const words = Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value])
  if (words.some((word) => word.includes('\0'))) {
    throw new AppError('bad_request', 'The value of a variable must not contain the character NUL.')
  }
  return words.map((word) => `${word}\0`).join('')
}

function etc(name: string): string {
  return `/etc/${name}`
}
