/**
 * The project's own `@langchain/langgraph`. The server never brings its own: two copies in one
 * process do not know each other's classes, and messages that one of them revives are none for
 * the other.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint'
import { AppError } from '../core/errors.ts'
import { importFor } from './module-loader.ts'
import { isMissing } from './project-path.ts'

export const PACKAGE = '@langchain/langgraph'
/** The oldest minor version of LangGraph 1 that is known to work. */
const OLDEST = [1, 1] as const

/** What is used of the package. */
export interface LangGraph {
  BaseCheckpointSaver: typeof BaseCheckpointSaver
  BaseStore: typeof BaseStore
  AsyncBatchedStore?: new (store: BaseStore) => object
  Command: new (fields: { goto?: unknown; update?: unknown; resume?: unknown }) => unknown
  Send: new (node: string, args: unknown) => unknown
  /** The config that the present code is called with; outside of a graph it throws or answers nothing. */
  getConfig?: () => { metadata?: { langgraph_node?: unknown } } | undefined
}

/**
 * Makes sure that the file can import LangGraph, in a version that works, before it is run; answers
 * the version. Throws `bad_request`, with a message that says what to install.
 */
export async function checkLangGraph(file: string): Promise<string> {
  const version = await findVersion(file)
  if (version === undefined) {
    throw new AppError(
      'bad_request',
      `The project has no ${PACKAGE} installed; add it and @langchain/core to its dependencies.`,
    )
  }
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new AppError(
      'bad_request',
      `The project has ${PACKAGE} ${version}; install ${OLDEST.join('.')} or newer.`,
    )
  }
  return version
}

/** The very copy of the package that a loaded file imports: of its place, and its kind of module. */
export async function loadLangGraph(file: string): Promise<LangGraph> {
  return (await importFor(file, PACKAGE)) as LangGraph
}

async function findVersion(file: string): Promise<string | undefined> {
  const folders = createRequire(file).resolve.paths(PACKAGE) ?? []
  for (const folder of folders) {
    const manifest = await readManifest(join(folder, PACKAGE, 'package.json'))
    if (manifest) return manifest.version
  }
  return undefined
}

async function readManifest(path: string): Promise<{ version: string } | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw cause
  }
}
