/**
 * The project's own `@langchain/langgraph`. The server never brings its own: two copies in one
 * process do not know each other's classes, and messages that one of them revives are none for
 * the other.
 */

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint'
import { OLDEST_LANGGRAPH, weaknessOf } from '../../../core/deployment/builds/langgraph.ts'
import { AppError } from '../../../core/errors.ts'
import { isOlder } from '../../../core/package-version.ts'
import type { BuildState, ProjectConfig } from '../../../project/config.ts'
import { isJavascript } from '../../../project/module-spec.ts'
import { importFor } from './loader.ts'
import { findPackage } from './package-home.ts'

export const PACKAGE = '@langchain/langgraph'
const CORE = '@langchain/core'
const OLDEST = OLDEST_LANGGRAPH.javascript
/** The packages that make a too old project work, with as few changes as possible. */
const NEWER = [`${PACKAGE}@0.4`, `${CORE}@0.3`]

/** The parts of the package that are used. */
export interface LangGraph {
  BaseCheckpointSaver: typeof BaseCheckpointSaver
  BaseStore: typeof BaseStore
  AsyncBatchedStore?: new (store: BaseStore) => object
  Command: new (fields: { goto?: unknown; update?: unknown; resume?: unknown }) => unknown
  Send: new (node: string, args: unknown) => unknown
  /** The config that the present code is called with; outside of a graph it throws or returns nothing. */
  getConfig?: () => { metadata?: { langgraph_node?: unknown } } | undefined
}

/**
 * Makes sure that the file can import a version of LangGraph that works, before the file is run; returns the version.
 * Throws `bad_request`, with a message that says what to install.
 */
export async function checkLangGraph(file: string): Promise<string> {
  const found = await findPackage(file, PACKAGE)
  if (!found) throw refusal(file, `has no ${PACKAGE} installed`, [PACKAGE, CORE])
  const { version, folder } = found
  if (isOlder(version, OLDEST)) {
    const what = `has ${PACKAGE} ${version}, and Runyard needs ${OLDEST} or newer`
    throw refusal(file, what, NEWER)
  }
  if (await findPackage(join(folder, 'package.json'), CORE)) return version
  throw refusal(file, `has no ${CORE} installed, which ${PACKAGE} needs`, [CORE])
}

/**
 * Makes sure, right after an install, that each graph of the project can import LangGraph; throws like
 * `checkLangGraph`. Before the build (`isBuilt: false`) LangGraph may be missing, since a build command may install it;
 * a version that is too old is refused. Returns warnings about versions with known weaknesses.
 */
export async function checkProjectPackages(
  { graphs }: Pick<ProjectConfig, 'graphs'>,
  { isBuilt = true }: BuildState = {},
): Promise<string[]> {
  const warnings = new Set<string>()
  for (const { file } of graphs.filter(isJavascript)) {
    const found = await findPackage(file, PACKAGE)
    if (isBuilt || found) await checkLangGraph(file)
    const warning = found && (await warningAbout(file, found.folder))
    if (warning) warnings.add(warning)
  }
  return [...warnings]
}

/** A warning about the copy of `@langchain/core` that LangGraph stores values with. */
async function warningAbout(file: string, langgraph: string): Promise<string | undefined> {
  const core = await findPackage(join(langgraph, 'package.json'), CORE)
  const weakness = core && weaknessOf(CORE, core.version)
  if (!weakness) return undefined
  const command = installCommand(file, [`${CORE}@^${weakness.mended.version}`])
  return `${weakness.says}. Run \`${command}\`.`
}

/** The same copy of the package that a loaded file imports: same place, same kind of module. */
export async function loadLangGraph(file: string): Promise<LangGraph> {
  return (await importFor(file, PACKAGE)) as LangGraph
}

function refusal(file: string, what: string, packages: string[]): AppError {
  const command = installCommand(file, packages)
  return new AppError('bad_request', `The project ${what}: run \`${command}\`.`)
}

/** Files that package managers leave in a `node_modules` that they installed. */
const MARKS = [
  ['.modules.yaml', 'pnpm add'],
  ['.yarn-integrity', 'yarn add'],
  ['.yarn-state.yml', 'yarn add'],
] as const

/**
 * The install command of the package manager that installed the packages of this project file; npm's if that is
 * unknown.
 */
function installCommand(file: string, packages: string[]): string {
  const folders = createRequire(file).resolve.paths(packages[0] ?? '') ?? []
  const installed = folders.find((folder) => existsSync(folder))
  const mark = installed && MARKS.find(([name]) => existsSync(join(installed, name)))
  return [mark?.[1] ?? 'npm install', ...packages].join(' ')
}
