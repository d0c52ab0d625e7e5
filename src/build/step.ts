/** What every step of a build works with. */
import { BuildError } from '../core/deployment/build.ts'
import type { ConfinedCommand } from '../core/deployment/sandbox.ts'
import type { BuildLog } from './build-log.ts'
import { type CommandEnd, runCommand } from './command.ts'

/** How much a build may take; each has a default in `DEFAULT_LIMITS`. */
export interface BuildLimits {
  /** One git command, in ms. */
  fetchMs: number
  /** The install command, in ms. */
  installMs: number
  /** The build command, in ms. */
  buildMs: number
  /** Bundling the project's modules, in ms. */
  bundleMs: number
  /** Memory of one command with all that it started, in bytes. */
  maxMemoryBytes: number
  /** Entries of a tarball. */
  maxEntries: number
  /** Size of a tarball's content, in bytes. */
  maxUnpackedBytes: number
}

export const DEFAULT_LIMITS: BuildLimits = {
  fetchMs: 10 * 60_000,
  installMs: 15 * 60_000,
  buildMs: 15 * 60_000,
  bundleMs: 2 * 60_000,
  maxMemoryBytes: 4 * 1024 ** 3,
  maxEntries: 100_000,
  maxUnpackedBytes: 2 * 1024 ** 3,
}

export interface StepContext {
  log: BuildLog
  signal: AbortSignal
  limits: BuildLimits
  /** The environment of the build's commands: base settings, then the project's own variables. */
  env: Readonly<Record<string, string>>
  /** Keeps a command away from what is not the project's; absent for commands of Runyard's own. */
  confine?: (
    command: readonly [string, ...string[]],
    at: { cwd: string; variables: Readonly<Record<string, string>> },
  ) => ConfinedCommand
}

/**
 * Runs a command of the named step with its output in the log. Throws `BuildError` when it does not
 * end with 0, takes longer than `limitMs` or more memory than the limits allow.
 */
export async function runStep(
  step: string,
  command: readonly [string, ...string[]],
  at: { cwd: string; limitMs: number; env?: Readonly<Record<string, string>>; title: string },
  context: StepContext,
): Promise<void> {
  context.log.line(`$ ${at.title}`)
  const variables = { ...context.env, ...at.env }
  const { cwd } = at
  const confined: Omit<ConfinedCommand, 'hasMonitor'> = context.confine?.(command, {
    cwd,
    variables,
  }) ?? { command, env: variables }
  const { uid, gid, input } = confined
  const end = await runCommand(confined.command, {
    cwd,
    // A project cannot choose the PATH, by which the sandbox's own program is found.
    env: { PATH: context.env.PATH ?? '', ...confined.env },
    ...(input !== undefined && { input }),
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
    signal: context.signal,
    limitMs: at.limitMs,
    maxMemoryBytes: context.limits.maxMemoryBytes,
    onLine: (line) => context.log.line(line),
  })
  const reason = reasonOf(end, at.limitMs, context.limits)
  if (reason)
    throw new BuildError(step, `\`${at.title}\` ${reason}.`, { logTail: context.log.tail() })
}

/** Why a command did not go well; `undefined` when it did. */
export function reasonOf(
  end: CommandEnd,
  limitMs: number,
  limits: Pick<BuildLimits, 'maxMemoryBytes'>,
): string | undefined {
  if (end.isTooLarge) {
    const maxMib = Math.round(limits.maxMemoryBytes / 1024 ** 2)
    return `took more than the ${maxMib} MiB of memory that a build may take and was ended`
  }
  if (end.isTimedOut) return `took longer than ${Math.round(limitMs / 1000)} s and was ended`
  return end.code === 0 ? undefined : `ended with exit code ${end.code}`
}
