/**
 * Programs that tests run to their end. Each has a limit: a test that waits for one on its own thread
 * is not ended by the time limit of tests, which is kept on that thread too.
 */
import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'

interface ProgramOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  /** Then it is killed. Default: 2 minutes for `runNow`, 4 minutes for `run`. */
  timeoutMs?: number
}

/**
 * Answers what it has printed; throws, with what it says on standard error, when it fails. Nothing else goes on in
 * this process meanwhile, so that it is for what takes a moment.
 */
export function runNow(
  file: string,
  args: readonly string[] = [],
  { timeoutMs: timeout = 120_000, ...options }: ProgramOptions = {},
): string {
  const limits = { timeout, killSignal: 'SIGKILL' } as const
  return execFileSync(file, args, { ...options, ...limits, encoding: 'utf8', stdio: 'pipe' })
}

/** As `runNow`, for what takes longer: installs, builds. */
export async function run(
  file: string,
  args: readonly string[],
  { timeoutMs: timeout = 240_000, ...options }: ProgramOptions = {},
): Promise<string> {
  const limits = { timeout, killSignal: 'SIGKILL', maxBuffer: 1 << 28 } as const
  const running = promisify(execFile)(file, args, { ...options, ...limits })
  // Who asks for an answer there gets none; one that has ended does not ask.
  running.child.stdin?.on('error', () => {}).end()
  return (await running).stdout
}

/** Whether this machine has a program, of those that tell their version. */
export function hasProgram(file: string, args: readonly string[] = ['--version']): boolean {
  try {
    runNow(file, args)
    return true
  } catch {
    return false
  }
}
