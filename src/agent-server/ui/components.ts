/** HTML and files with which a page loads a component of a graph. */
import type { UiBundle } from '../../core/agent/ui-bundle.ts'
import { AppError } from '../../core/errors.ts'
import type { Parts } from '../parts.ts'

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/** The server's address as the page sees it. */
export interface UiAddress {
  /** With a port unless it is the default one. `undefined`: the page's own host. */
  host: string | undefined
  /** The path before `/ui`. */
  prefix: string
}

/**
 * HTML that loads the graph's files from the address and renders the component; the page fills in
 * `{{shadowRootId}}`. Throws `not_found`.
 */
export function componentHtml(
  { ui }: Pick<Parts, 'ui'>,
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
export function readUiFile(
  { ui }: Pick<Parts, 'ui'>,
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
