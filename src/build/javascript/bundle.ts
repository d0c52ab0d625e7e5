/** The last step of a build: the project's modules in one file, so that a start is quick. */
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BuildError } from '../../core/deployment/builds/build.ts'
import { isFile } from '../is-file.ts'
import { runStep, type StepContext } from '../step.ts'

export interface Bundler {
  /**
   * The command, without the path of the `langgraph.json` that is put behind it. It ends with 0 when
   * it has written a bundle, and when it has said why it writes none.
   */
  command: readonly [string, ...string[]]
  /** Where it writes the bundle of a project; absolute. */
  pathOf(configPath: string): string
}

/**
 * Answers where the bundle is; `undefined` when there is none. Where bundling fails, the build
 * goes on without a bundle, and the log says why. None of the project's code runs, so that none of its variables is needed.
 */
export async function bundle(
  { command, pathOf }: Bundler,
  configPath: string,
  context: StepContext,
): Promise<string | undefined> {
  const path = pathOf(configPath)
  // A file of this name that the project brings is not our bundle.
  await rm(path, { force: true })
  const at = { cwd: dirname(configPath), limitMs: context.limits.bundleMs, title: 'bundle' }
  try {
    await runStep('bundle', [...command, configPath], at, context)
  } catch (error) {
    if (!(error instanceof BuildError) || context.signal.aborted) throw error
    context.log.line(`Not bundled, so that a start takes longer: ${error.message}`)
    return undefined
  }
  return (await isFile(path)) ? path : undefined
}
