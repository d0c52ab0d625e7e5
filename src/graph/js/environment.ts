/**
 * Variables that must be in the environment before a project's modules are imported. The composition root sets them,
 * overriding the project's; nothing in this folder touches the environment.
 */
import { dirname } from 'node:path'
import type { ProjectConfig } from '../../project/config.ts'
import { isJavascript } from '../../project/module-spec.ts'
import { findTsconfig } from '../../project/tsconfig.ts'

/**
 * `LANGCHAIN_CALLBACKS_BACKGROUND`: with callbacks in the background, the stream mode `messages`
 * loses tokens of a model that emits without pauses.
 */
export const GRAPH_ENVIRONMENT: Readonly<Record<string, string>> = {
  LANGCHAIN_CALLBACKS_BACKGROUND: 'false',
}

/** The variables for a project: with `TSX_TSCONFIG_PATH`, the `tsconfig.json` for its CommonJS (`modules/hooks.ts`). */
export function graphEnvironment(config: ProjectConfig): Readonly<Record<string, string>> {
  const tsconfig = findTsconfig(dirname(mainFile(config)))
  return { ...GRAPH_ENVIRONMENT, ...(tsconfig !== undefined && { TSX_TSCONFIG_PATH: tsconfig }) }
}

/** The file whose `tsconfig.json` applies where only one can: that of the first JavaScript graph. */
export function mainFile({ graphs, path }: Pick<ProjectConfig, 'graphs' | 'path'>): string {
  return graphs.find(isJavascript)?.file ?? path
}
