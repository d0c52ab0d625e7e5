/** The operations of generative UI: a page asks for a component, then loads its files. */

import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { UiBundle } from '../../core/agent/server/project-settings.ts'
import { AppError } from '../../core/errors.ts'
import type { Parts } from '../agent-server-parts.ts'
import { body, createRoutes, openOperationsOf, operationsOf } from '../operations/route.ts'

const operation = operationsOf('Generative UI')
const openOperation = openOperationsOf('Generative UI')

const component = operation('post', '/ui/{graph_id}', {
  id: 'get_ui_component',
  summary: 'HTML that loads a component of the graph',
  request: {
    params: z.object({ graph_id: z.string() }),
    body: body(z.object({ name: z.string() })),
  },
  answers: { 200: { description: 'HTML', content: { 'text/html': { schema: z.string() } } } },
  refusals: [404],
})

const file = openOperation('get', '/ui/{graph_id}/{file}', {
  id: 'get_ui_file',
  summary: 'A file of the bundle that holds the components of the graph',
  request: { params: z.object({ graph_id: z.string(), file: z.string() }) },
  answers: {
    200: {
      description: 'The file',
      content: { 'text/javascript': { schema: z.string() }, 'text/css': { schema: z.string() } },
    },
  },
  refusals: [404],
})

/** `mountPrefix`: the prefix of every path of this server. */
export function uiRoutes(parts: Parts, mountPrefix: string) {
  const routes = createRoutes()
  routes.openapi(component, (c) => {
    const { graph_id } = c.req.valid('param')
    const { name } = c.req.valid('json')
    const address = addressOf(c, mountPrefix)
    return c.html(componentHtml(parts, graph_id, { name, address }), 200)
  })
  routes.openapi(file, (c) => {
    const { graph_id, file: name } = c.req.valid('param')
    const { contents, type } = readUiFile(parts, graph_id, name)
    const headers = { 'content-type': type, 'cache-control': 'no-cache' }
    return c.body(contents, 200, headers) as never
  })
  return routes
}

function addressOf({ req }: Context, mountPrefix: string): UiAddress {
  const host = req.header('x-forwarded-host')?.split(',')[0]?.trim() || req.header('host')
  return { host, prefix: `${req.header('x-forwarded-prefix') ?? ''}${mountPrefix}` }
}

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/** The server's address as the page sees it. */
interface UiAddress {
  /** With a port unless it is the default one. `undefined`: the page's own host. */
  host: string | undefined
  /** The path before `/ui`. */
  prefix: string
}

/**
 * HTML that loads the graph's files from the address and renders the component; the page fills in
 * `{{shadowRootId}}`. Throws `not_found`.
 */
function componentHtml(
  { ui }: Parts,
  graph: string,
  { name, address }: { name: string; address: UiAddress },
): string {
  const { globalName, files } = requireBundle(ui, graph)
  const base = `${originOf(address)}${address.prefix}/ui/${encodeURIComponent(graph)}`
  const at = (file: string) => escapeHtml(`${base}/${file}`)
  const style = files.has('entrypoint.css')
    ? `<link rel="stylesheet" href="${at('entrypoint.css')}" />\n`
    : ''
  const call = `${globalName}.render(${JSON.stringify(name)}, "{{shadowRootId}}")`
  // In single quotes, since the call itself has double ones.
  const onload = escapeHtml(call).replaceAll('&quot;', '"')
  return `${style}<script src="${at('entrypoint.js')}" onload='${onload}'></script>`
}

/** Throws `not_found`. */
function readUiFile(
  { ui }: Parts,
  graph: string,
  file: string,
): { contents: Uint8Array<ArrayBuffer>; type: string } {
  const contents = requireBundle(ui, graph).files.get(file)
  if (!contents) throw new AppError('not_found', `The UI of "${graph}" has no file "${file}".`)
  const type = TYPES[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
  return { contents: new Uint8Array(contents), type }
}

function requireBundle(ui: Parts['ui'], graph: string): UiBundle {
  const bundle = ui.get(graph)
  if (bundle) return bundle
  throw new AppError('not_found', `UI not found for "${graph}"; add it to "ui" in langgraph.json.`)
}

/** A page served over https may load only https files. Servers on this machine have only http. */
function originOf({ host }: UiAddress): string {
  if (host === undefined) return ''
  return /^(localhost|127\.0\.0\.1)(:|$)/.test(host) ? `http://${host}` : `//${host}`
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one)
}
