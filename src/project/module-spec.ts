/** `"./<file>:<export>"`: how `langgraph.json` names a thing of the project's own code. */
import { join } from 'node:path'
import { AppError } from '../core/errors.ts'
import { resolveInside } from './path.ts'

/** What one file exports under one name. */
export interface ModuleSpec {
  /** As written in `langgraph.json`, for messages. */
  path: string
  /** Absolute, links resolved, inside the project's folder. */
  file: string
  /** The name that it is exported under; `default` for the default export. */
  exportName: string
}

/** The `langgraph.json` that is being read. */
export interface ReadingConfig {
  /** Its folder, links resolved. */
  root: string
  /** What it is called, for messages. */
  name: string
  /** `false`: before a build has run, so the files need not be there yet. */
  isBuilt: boolean
}

export const SPEC_FORM = '"./<file>:<export>", for example "./src/agent.ts:graph"'

/**
 * Reads a spec and finds its file. `what` begins the message of a refusal, which is a `bad_request`.
 * Where no export is named it is `fallbackExport`; without one that is refused.
 */
export async function resolveModule(
  { root, name, isBuilt }: ReadingConfig,
  what: string,
  spec: string,
  fallbackExport?: string,
): Promise<ModuleSpec> {
  const where = `${name}: ${what}`
  const [, path = spec, exportName = fallbackExport] = /^(.+):([^:/\\]+)$/.exec(spec) ?? []
  if (exportName === undefined) {
    throw new AppError('bad_request', `${where}: "${spec}" names no export; write ${SPEC_FORM}.`)
  }
  if (!/\.[cm]?[jt]sx?$/.test(path)) {
    throw new AppError(
      'bad_request',
      `${where}: "${path}" is no TypeScript or JavaScript file; other languages cannot be run.`,
    )
  }
  const file = (await resolveInside(root, path, where)) ?? (isBuilt ? undefined : join(root, path))
  if (file !== undefined) return { path, file, exportName }
  throw new AppError(
    'bad_request',
    `${where}: there is no file "${path}"; paths are relative to ${name}.`,
  )
}
