/** The last step of a build: the project's modules in one file, so that a start is quick. */
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BuildError } from '../../core/deployment/builds/build.ts'
import { BROKEN_FILE } from '../../core/deployment/builds/project-commands.ts'
import { isFile } from '../is-file.ts'
import { runStep, type StepContext } from '../step.ts'
import type { SchemaReading } from './graph-schemas.ts'

export interface Bundler {
  /**
   * The command; the path of `langgraph.json` is appended. It reads standard input to the end before it reads the
   * project, and exits with 0 after writing a bundle, or after printing why it writes none. Exits with 1 after a line
   * that begins with `BROKEN_FILE`.
   */
  command: readonly [string, ...string[]]
  /** Reads the schemas of its graphs after the build. Absent: `command` does that too, and the build waits for it. */
  schemas?: SchemaReading
  /** Where it writes the bundle of a project; absolute. */
  pathOf(configPath: string): string
}

/** A bundling process that can be started early. */
export interface Bundling {
  /** Starts the process, which loads its modules (a tenth of a second) and then waits. */
  begin(): void
  /**
   * Bundles the project as it is now. Returns the bundle's path; `undefined`: there is none. If bundling fails, the
   * build goes on without a bundle, and the log says why. Throws `BuildError` if a file of the project itself cannot be
   * found or parsed.
   */
  finish(): Promise<string | undefined>
  /** Resolves when no started process is left. Does not throw. */
  abandon(): Promise<void>
}

/** Runs none of the project's code, so it needs none of its variables. */
export function openBundling(bundler: Bundler, configPath: string, context: StepContext): Bundling {
  const path = bundler.pathOf(configPath)
  // A file of this name that the project brings is not our bundle.
  const makeRoom = () => rm(path, { force: true })
  const ready = Promise.withResolvers<void>()
  ready.promise.catch(() => {})
  const abandoned = new AbortController()
  const signal = AbortSignal.any([context.signal, abandoned.signal])
  let ended: Promise<boolean> | undefined
  return {
    begin() {
      const inputEnds = ready.promise.then(makeRoom)
      ended ??= bundle(bundler, configPath, { inputEnds }, { ...context, signal })
      for (const one of [inputEnds, ended]) one.catch(() => {})
    },
    async finish() {
      if (!ended) await makeRoom()
      ready.resolve()
      ended ??= bundle(bundler, configPath, {}, context)
      return (await ended) && (await isFile(path)) ? path : undefined
    },
    async abandon() {
      const reason = new Error('There is nothing to bundle any more.')
      ready.reject(reason)
      abandoned.abort(reason)
      await ended?.catch(() => {})
    },
  }
}

/** Returns whether it succeeded. `inputEnds`: as in `CommandTerms`. */
async function bundle(
  { command }: Bundler,
  configPath: string,
  start: { inputEnds?: Promise<void> },
  context: StepContext,
): Promise<boolean> {
  const { bundleMs, maxMemoryBytes } = context.limits
  const env = collectRarely(maxMemoryBytes)
  const at = { cwd: dirname(configPath), limitMs: bundleMs, title: 'bundle', env, ...start }
  try {
    await runStep('bundle', [...command, configPath], at, context)
    await start.inputEnds
    return true
  } catch (error) {
    if (!(error instanceof BuildError) || context.signal.aborted) throw error
    const broken = error.logTail.findLast((line) => line.startsWith(BROKEN_FILE))
    if (broken) throw new BuildError('build', broken.slice(BROKEN_FILE.length), { cause: error })
    context.log.line(`Warning: could not bundle, starts will be slower: ${error.message}`)
    return false
  }
}

/** esbuild's share of the command's memory limit. */
const HEAP_SHARE = 1 / 4
/** With less, collecting at the limit would take longer than collecting all the time. */
const LEAST_HEAP_BYTES = 512 * 1024 ** 2

/**
 * Go settings for esbuild: it ends with the bundle, so it collects nothing until its heap has reached a limit. The
 * example's bundle took it 760 ms of processor time instead of 1,190 (610 ms instead of 820 until it was written), and
 * 320 MB of memory instead of 250.
 */
function collectRarely(maxMemoryBytes: number): Record<string, string> {
  const heapBytes = Math.floor(maxMemoryBytes * HEAP_SHARE)
  if (heapBytes < LEAST_HEAP_BYTES) return {}
  return { GOGC: 'off', GOMEMLIMIT: `${heapBytes}B` }
}
