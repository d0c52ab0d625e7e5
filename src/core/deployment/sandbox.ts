/**
 * Keeps the code of projects away from the operator's keys, environment and files, and from other
 * projects.
 */

/** The value of `RUNYARD_SANDBOX`. */
export interface SandboxSetting {
  /** `auto`: what works on this machine. `given`: exactly `user` and `isBubblewrap`, or the start fails. */
  mode: 'off' | 'auto' | 'given'
  /** The name or number of a user; only for processes that root started. */
  user?: string
  isBubblewrap?: boolean
}

/** The files that a command works with, as absolute paths. It also sees the programs of the machine. */
export interface SandboxView {
  cwd: string
  readable: readonly string[]
  /** Folders that it may write to. Missing ones are made; the last one is its home. */
  writable: readonly string[]
  /**
   * The whole environment of the command, when its author chose some of it. None of these reaches a
   * process outside of the sandbox, since loaders and shells obey variables too.
   */
  variables?: Readonly<Record<string, string>>
}

/** The command to spawn in place of the original. */
interface ConfinedCommand {
  command: readonly [string, ...string[]]
  /** The user that it runs as. Absent: the user of this process. */
  uid?: number
  gid?: number
  /** Variables that replace those of the environment; with `SandboxView.variables` they are all variables. */
  env: Readonly<Record<string, string>>
  /** Input that the command must read first, to the end, from descriptor 4. Absent: none. */
  input?: string
  /** A monitor process runs in between and does not pass signals on. */
  hasMonitor: boolean
}

export interface Sandbox {
  confine(command: readonly [string, ...string[]], view: SandboxView): ConfinedCommand
  /** Commands run as another user. Files that they made must not be trusted with this user's rights. */
  readonly hasOwnUser: boolean
  /** Makes the user of the commands the owner of the folder and everything in it. */
  handOver(folder: string): Promise<void>
}

export const noSandbox: Sandbox = {
  hasOwnUser: false,
  confine: (command, { variables = {} }) => ({ command, env: variables, hasMonitor: false }),
  handOver: async () => {},
}

/** Replaces variables that name folders of this process's user, which the command cannot use. */
export function placesBelow(home: string): Record<string, string> {
  return {
    HOME: home,
    TMPDIR: '/tmp',
    TEMP: '/tmp',
    TMP: '/tmp',
    XDG_CACHE_HOME: `${home}/.cache`,
    XDG_CONFIG_HOME: `${home}/.config`,
    XDG_DATA_HOME: `${home}/.local/share`,
    XDG_STATE_HOME: `${home}/.local/state`,
    PIP_CACHE_DIR: `${home}/.cache/pip`,
    UV_CACHE_DIR: `${home}/.cache/uv`,
    npm_config_cache: `${home}/.npm`,
    npm_config_userconfig: `${home}/.npmrc`,
  }
}
