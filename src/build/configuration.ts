/** Finds the project's `langgraph.json` in its source. */
import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { BuildError } from '../core/deployment/builds/build.ts'
import { AppError } from '../core/errors.ts'
import type { PythonSettings } from '../project/python/settings.ts'

/** What a build needs from a project's configuration. */
export interface CheckedConfig {
  /** As written; `undefined` when absent. */
  node_version: string | undefined
  /** Whether the project needs its own Node: it has graphs or components, or asks for one. */
  needsNode: boolean
  /** Whether the agent server loads JavaScript or TypeScript modules of the project. */
  hasJsModules: boolean
  /** Absent where nothing of the project is in Python. */
  python?: PythonSettings
  /** The files of Python that `langgraph.json` names; absolute. */
  pythonFiles?: string[]
  /** The image settings, with `notes` to log where no image is built. Absent: none. */
  image?: { base_image?: string; dockerfile_lines: string[]; notes: string[] }
  /** Notes for the project's author; a sentence each. */
  notes: string[]
}

export interface FoundConfiguration extends CheckedConfig {
  /** Absolute. */
  configPath: string
}

/** Validates a project's configuration; throws `AppError` with a sentence for its author. */
type CheckConfig = (configPath: string) => Promise<CheckedConfig>

const DEFAULT_CONFIG_PATH = 'langgraph.json'

/**
 * Returns the path of the configuration and its content. `null` means `langgraph.json`. Throws
 * `BuildError('configuration')` if it is missing, lies outside of `source`, or `check` refuses it.
 */
export async function findConfiguration(
  source: string,
  langgraph_config_path: string | null,
  check: CheckConfig,
): Promise<FoundConfiguration> {
  const name = langgraph_config_path ?? DEFAULT_CONFIG_PATH
  const path = join(source, name)
  const real = await realpath(path).catch(() => undefined)
  if (isAbsolute(name) || !isBelow(source, path)) throw outside(name)
  if (real === undefined) {
    throw new BuildError(
      'configuration',
      `${name} is not in the source: set langgraph_config_path to the way to it from the top.`,
    )
  }
  if (!isBelow(await realpath(source), real)) throw outside(name)
  if (!(await stat(real)).isFile()) {
    throw new BuildError('configuration', `${name} is not a file: name the langgraph.json itself.`)
  }
  return { configPath: path, ...(await applyCheck(check, path)) }
}

async function applyCheck(check: CheckConfig, path: string): Promise<CheckedConfig> {
  try {
    return await check(path)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new BuildError('configuration', error.message, { cause: error })
  }
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function outside(name: string): BuildError {
  return new BuildError('configuration', `langgraph_config_path ${name} leads out of the source.`)
}
