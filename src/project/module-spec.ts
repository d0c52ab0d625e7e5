/** `"./<file>:<export>"`: how `langgraph.json` names a thing of the project's own code. */
import { join } from 'node:path'
import type { Language } from '../core/deployment/artifacts/artifact.ts'
import { AppError } from '../core/errors.ts'
import { type PathScope, resolveInside } from './path.ts'

interface Named {
  /** As written in `langgraph.json`, for messages: without the export. */
  path: string
  /** The name that it is exported under; `default` for the default export. */
  exportName: string
}

/** What one file of JavaScript or TypeScript exports under one name. */
export interface JsModule extends Named {
  language: 'javascript'
  /** Absolute, links resolved, inside the source. */
  file: string
}

/** What one file of Python, or one module that Python finds by its name, has under one name. */
export type PythonModule = Named & { language: 'python' } & (
    | { file: string; module?: undefined }
    | { module: string; file?: undefined }
  )

export type ModuleSpec = JsModule | PythonModule

export function isJavascript<Spec extends { language: Language }>(
  spec: Spec,
): spec is Extract<Spec, { language: 'javascript' }> {
  return spec.language === 'javascript'
}

export function isPython<Spec extends { language: Language }>(
  spec: Spec,
): spec is Extract<Spec, { language: 'python' }> {
  return spec.language === 'python'
}

/** The `langgraph.json` that is being read. */
export interface ReadingConfig extends PathScope {
  /** What it is called, for messages. */
  name: string
  /** `false`: before a build has run, so the files need not be there yet. */
  isBuilt: boolean
}

export const SPEC_FORM =
  '"./<file>:<export>", for example "./src/agent.ts:graph" or "./agent.py:graph"'

const JS_FILE = /\.[cm]?[jt]sx?$/
const PYTHON_FILE = /\.py$/
const PYTHON_MODULE = /^[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)*$/u

/**
 * Reads a spec and finds its file. `what` begins the message of a refusal, which is a `bad_request`. A spec without an
 * export uses `fallbackExport`, in JavaScript only; without a fallback it is refused. A module of Python is named by
 * its file, or as Python imports it: `pkg.module:make_graph`.
 */
export async function resolveModule(
  reading: ReadingConfig,
  what: string,
  spec: string,
  fallbackExport?: string,
): Promise<ModuleSpec> {
  const where = `${reading.name}: ${what}`
  const { path, named } = partsOf(spec)
  const language = languageOf(path)
  if (language === undefined) throw unknownLanguage(where, path)
  const exportName = named ?? (language === 'javascript' ? fallbackExport : undefined)
  if (exportName === undefined) {
    throw new AppError('bad_request', `${where}: "${spec}" names no export; write ${SPEC_FORM}.`)
  }
  if (language === 'module') return { language: 'python', path, module: path, exportName }
  return { language, path, file: await findFile(reading, where, path), exportName }
}

/** Whether the spec names a file or a module of Python. */
export function namesPython(spec: string): boolean {
  const language = languageOf(partsOf(spec).path)
  return language === 'python' || language === 'module'
}

function partsOf(spec: string): { path: string; named: string | undefined } {
  const [, path = spec, named] = /^(.+):([^:/\\]+)$/.exec(spec) ?? []
  return { path, named }
}

/** `module`: a Python module, by its name. */
function languageOf(path: string): Language | 'module' | undefined {
  if (JS_FILE.test(path)) return 'javascript'
  if (PYTHON_FILE.test(path)) return 'python'
  return PYTHON_MODULE.test(path) ? 'module' : undefined
}

async function findFile(reading: ReadingConfig, where: string, path: string): Promise<string> {
  const { root, name, isBuilt } = reading
  const found = await resolveInside(reading, path, where)
  const file = found ?? (isBuilt ? undefined : join(root, path))
  if (file !== undefined) return file
  throw new AppError(
    'bad_request',
    `${where}: there is no file "${path}"; paths are relative to ${name}.`,
  )
}

function unknownLanguage(where: string, path: string): AppError {
  return new AppError(
    'bad_request',
    `${where}: "${path}" is no file of TypeScript, JavaScript or Python, and no module of Python; ` +
      'other languages cannot be run.',
  )
}
