/** Imports the export of a project's file, with refusals that name the file. */
import { AppError } from '../../../core/errors.ts'
import type { JsModule } from '../../../project/module-spec.ts'
import { importFile } from './loader.ts'

/**
 * Imports the file and returns its export as `exported`; an export that is a promise is not awaited. `what` begins the
 * message of a refusal, which is a `bad_request` when the file cannot be loaded, or does not export the name.
 */
export async function importExport(spec: JsModule, what: string): Promise<{ exported: unknown }> {
  const { path, exportName } = spec
  const exports = await importModule(spec, what)
  if (exports[exportName] !== undefined) return { exported: exports[exportName] }
  const names = Object.keys(exports).filter((name) => name !== 'module.exports')
  const found = names.length > 0 ? `it exports ${names.join(', ')}` : 'it exports nothing'
  throw new AppError('bad_request', `${what}: ${path} has no export "${exportName}"; ${found}.`)
}

async function importModule(spec: JsModule, what: string): Promise<Record<string, unknown>> {
  try {
    return await importFile(spec.file)
  } catch (cause) {
    const message = `${what}: ${spec.path} could not be loaded: ${describeError(cause)}`
    throw new AppError('bad_request', message, { cause })
  }
}

/** The error's own name and sentence. */
export function describeError(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
}
