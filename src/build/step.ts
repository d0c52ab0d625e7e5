/** Runs the commands of a build's steps, within its limits. */
import { BuildError } from '../core/deployment/builds/build.ts'
import type { CommandEnd, CommandTerms } from '../core/deployment/builds/project-commands.ts'
import type { BuildLog } from './build-log.ts'
import { runCommand } from './command.ts'
import { failureLine } from './failure-line.ts'

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
  /**
   * Runs a command confined to the project's files. Absent for Runyard's own commands, which are processes of this
   * machine.
   */
  run?: (
    command: readonly [string, ...string[]],
    at: { cwd: string; variables: Readonly<Record<string, string>> },
    terms: CommandTerms,
  ) => Promise<CommandEnd>
}

/** How many lines of standard error are returned: a project's command may write without end. */
const KEPT_ERRORS = 50

type Command = readonly [string, ...string[]]

interface Place {
  cwd: string
  limitMs: number
  env?: Readonly<Record<string, string>>
}

/**
 * Runs a command of the named step with its output in the log; `inputEnds` as in `CommandTerms`. Throws `BuildError`
 * when it does not end with 0, takes longer than `limitMs` or more memory than the limits allow.
 */
export async function runStep(
  step: string,
  command: Command,
  at: Place & { title: string; inputEnds?: Promise<void> },
  context: StepContext,
): Promise<void> {
  const onLine = (line: string) => context.log.line(line)
  const begin = () => onLine(`$ ${at.title}`)
  const inputEnds = at.inputEnds?.then(begin)
  if (inputEnds) inputEnds.catch(() => {})
  else begin()
  const end = await runAt(command, at, context, { onLine, ...(inputEnds && { inputEnds }) })
  const reason = reasonOf(end, at.limitMs, context.limits)
  if (!reason) return
  const logTail = context.log.tail()
  const isLimit = end.isTimedOut || end.isTooLarge
  const own = logTail.slice(logTail.lastIndexOf(`$ ${at.title}`) + 1)
  const line = isLimit ? undefined : failureLine(own)
  const text = `\`${at.title}\` ${reason}`
  throw new BuildError(step, line === undefined ? `${text}.` : `${line} (${text})`, { logTail })
}

/**
 * Runs a command and returns its standard output and the last lines of standard error; the log gets neither. The caller
 * checks `code` for success.
 */
export async function ask(
  command: Command,
  at: Place,
  context: StepContext,
): Promise<{ code: number; stdout: string; errors: string[] }> {
  const errors: string[] = []
  const onLine = (line: string) => {
    errors.push(line)
    if (errors.length > KEPT_ERRORS) errors.shift()
  }
  const { code, stdout } = await runAt(command, at, context, { onLine, isCaptured: true })
  return { code, stdout: stdout.trim(), errors }
}

function runAt(
  command: Command,
  { cwd, limitMs, env }: Place,
  { run, ...context }: StepContext,
  output: Pick<CommandTerms, 'onLine' | 'isCaptured' | 'inputEnds'>,
): Promise<CommandEnd> {
  const variables = { ...context.env, ...env }
  const { maxMemoryBytes } = context.limits
  const terms = { signal: context.signal, limitMs, maxMemoryBytes, ...output }
  return run
    ? run(command, { cwd, variables }, terms)
    : runCommand(command, { cwd, env: variables, ...terms })
}

/** Why a command failed; `undefined`: it did not. */
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
