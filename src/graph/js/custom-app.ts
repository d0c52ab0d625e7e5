/** The project's own Hono app, `http.app` of `langgraph.json`. */
import type { ErrorHandler } from 'hono'
import type { RouterRoute } from 'hono/types'
import { AppError } from '../../core/errors.ts'
import type { JsModule } from '../../project/module-spec.ts'
import { importExport } from './modules/export.ts'

/**
 * The part of an app that is mounted. The project's own Hono, of any version, makes it, so it is recognized by its
 * shape.
 */
export interface CustomApp {
  routes: RouterRoute[]
  errorHandler: ErrorHandler
}

/** Imports it. Throws `bad_request`, with a message that names the file and what to do. */
export async function loadCustomApp(spec: JsModule): Promise<CustomApp> {
  const { exported } = await importExport(spec, 'http.app')
  if (isApp(exported)) return exported
  throw new AppError(
    'bad_request',
    `http.app: "${spec.exportName}" of ${spec.path} is no Hono app; export a "new Hono()".`,
  )
}

function isApp(exported: unknown): exported is CustomApp {
  if (typeof exported !== 'object' || exported === null) return false
  const { routes, errorHandler, fetch } = exported as Partial<CustomApp> & {
    fetch?: unknown
  }
  return Array.isArray(routes) && typeof errorHandler === 'function' && typeof fetch === 'function'
}
