/** Finds the sandbox that works on this machine, and makes it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import {
  noSandbox,
  placesBelow,
  type Sandbox,
  type SandboxSetting,
  type SandboxView,
} from '../core/deployment/sandbox.ts'
import { AppError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { bubblewrapArguments, setVariables } from './bubblewrap.ts'
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
