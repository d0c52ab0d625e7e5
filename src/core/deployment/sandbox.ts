/**
 * Keeps the code of projects away from what is the operator's: keys, environment, files, and the
 * folders of other projects.
 */

/** What `RUNYARD_SANDBOX` asks for. */
export interface SandboxSetting {
  /** `auto`: whatever works here; `given`: `user` and `isBubblewrap`, or no start at all. */
  mode: 'off' | 'auto' | 'given'
  /** A name or a number; for processes that were started as root. */
  user?: string
  isBubblewrap?: boolean
}

/** What a command works with; absolute. It sees the programs of the machine besides. */
export interface SandboxView {
  cwd: string
  readable: readonly string[]
  /** Folders, made where they are missing; the last is its home. */
  writable: readonly string[]
  /**
   * The whole of the command's environment, where whoever wrote the command chose some of it: a loader or
   * a shell outside of the sandbox obeys variables too, so that none of it gets there.
   */
  variables?: Readonly<Record<string, string>>
}

/** What is spawned in place of a command. */
export interface ConfinedCommand {
  command: readonly [string, ...string[]]
  /** Whom it runs as; absent: as this process. */
  uid?: number
  gid?: number
  /** What it finds in its environment in place of what there would be; with `variables` all of it. */
  env: Readonly<Record<string, string>>
  /** What it reads from descriptor 4 first, to the end; absent: nothing. */
  input?: string
  /** Another process stands between, which signals do not pass. */
  hasMonitor: boolean
}

export interface Sandbox {
  confine(command: readonly [string, ...string[]], view: SandboxView): ConfinedCommand
  /** Commands run as another user: what they have made is not to be trusted with this one's rights. */
  readonly hasOwnUser: boolean
  /** Hands a folder with all that is in it to whom commands run as. */
  handOver(folder: string): Promise<void>
}

export const noSandbox: Sandbox = {
  hasOwnUser: false,
  confine: (command, { variables = {} }) => ({ command, env: variables, hasMonitor: false }),
  handOver: async () => {},
}
