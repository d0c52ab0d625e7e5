/** Serves the browser app: its page at each of its paths, and its files. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import { etag } from 'hono/etag'
import { parseAccept } from 'hono/utils/accept'
import { type Absence, answerNotBuilt } from './build.ts'
import { FRAME_HEADERS, pageHeaders } from './policy.ts'

export interface DashboardOptions {
  /** The folder of the built app. */
  folder: string
  /** What it shows: all deployments, or the one agent server that serves it. */
  mode: 'control-plane' | 'agent-server'
  /** The path of the app, without a slash at the end; empty: the root. */
  mount: string
  /** The prefix that a proxy has removed from the path of this request. */
  prefixOf?: (headers: Headers) => string
  /** Paths at the root that belong to the API, with everything below them. */
  apiPaths: readonly string[]
  /** The reason while nothing is built. */
  absence: () => Absence
}

/** A year: the names of these files change with their content. */
const FOR_EVER = 'public, max-age=31536000, immutable'
const CHECKED = 'public, max-age=0, must-revalidate'

/** The URL that the official CLI shows after a deploy. */
const OF_OFFICIAL_CLI = /^\/o\/[^/]+\/host\/deployments\/([\w-]+)\/?$/

/**
 * Answers GET and HEAD requests for built files, and the page for a browser's requests at paths outside the
 * API.
 */
export function createDashboard(options: DashboardOptions): AnswerPage {
  const files = createFiles(options.folder)
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    const path = pathBelow(options.mount, new URL(request.url).pathname)
    if (path === undefined) return undefined
    const file = await answerFile(files, path, request)
    if (file) return file
    if (!isPage(path, request.headers, options.apiPaths)) return undefined
    const deployment_id = OF_OFFICIAL_CLI.exec(path)?.[1]
    if (deployment_id) return redirect(`${options.mount}/deployments/${deployment_id}`)
    return answerPage(request.headers, options)
  }
}

/** The files of the newest build, in a compression that the client accepts. */
function createFiles(folder: string): Hono {
  const files = new Hono()
  files.use(async (c, next) => {
    await next()
    if (c.res.status === 404) return
    // The frame of components is the only page among the files, whatever its path was written like.
    const isPage = c.res.headers.get('content-type')?.startsWith('text/html')
    const headers = {
      'cache-control': isHashed(c.req.path) ? FOR_EVER : CHECKED,
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      ...(isPage && FRAME_HEADERS),
    }
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value)
  })
  files.use(etag())
  files.use(async (c, next) => {
    await next()
    if (!c.res.ok || !isHashed(c.req.path)) return
    // So that nothing is hashed for a request.
    const encoding = c.res.headers.get('content-encoding') ?? ''
    c.res.headers.set('etag', `"${c.req.path.slice('/assets/'.length)} ${encoding}"`)
  })
  // Not `root`: the folder of a clone may be built later.
  const rewriteRequestPath = (path: string) => join(folder, path)
  files.get('*', serveStatic({ rewriteRequestPath, precompressed: true }))
  return files
}

/** Its name changes with its content. */
const isHashed = (path: string) => path.startsWith('/assets/')

/** `index.html` is the page, and compressed files only replace others. No file's path needs an escape. */
const NO_FILE = /%|^\/(index\.html)?$|\.(br|gz)$/i

async function answerFile(
  files: Hono,
  path: string,
  { method, headers, url }: Request,
): Promise<Response | undefined> {
  if (NO_FILE.test(path)) return undefined
  const place = Object.assign(new URL(url), { pathname: path })
  const asked = new Headers(headers)
  asked.set('accept-encoding', acceptedEncodings(headers))
  const answer = await files.request(place, { method, headers: asked })
  return answer.status === 404 ? undefined : answer
}

/** Without weights, which `serveStatic` does not read. */
function acceptedEncodings(headers: Headers): string {
  const accepted = parseAccept(headers.get('accept-encoding') ?? '').filter(({ q }) => q > 0)
  return accepted.map(({ type }) => type).join(', ')
}

async function answerPage(
  headers: Headers,
  { folder, mode, mount, prefixOf, absence }: DashboardOptions,
): Promise<Response> {
  const nonce = randomBytes(16).toString('base64url')
  const page = await readFile(join(folder, 'index.html'), 'utf8').catch(() => undefined)
  if (page === undefined) return answerNotBuilt(absence(), nonce)
  const base = `${prefixOf?.(headers) ?? ''}${mount}/`
  const filled = page
    .replaceAll('%RUNYARD_BASE%', base)
    .replaceAll('%RUNYARD_MODE%', mode)
    .replaceAll('%RUNYARD_NONCE%', nonce)
  return new Response(filled, { headers: pageHeaders(nonce) })
}

/** The path below the app's own; `undefined`: outside. */
function pathBelow(mount: string, path: string): string | undefined {
  if (path === mount) return '/'
  return path.startsWith(`${mount}/`) ? path.slice(mount.length) : undefined
}

/** Missing files, and programs that do not accept HTML, do not get the page. */
function isPage(path: string, headers: Headers, apiPaths: readonly string[]): boolean {
  if (path === '/') return true
  if (path.startsWith('/assets/')) return false
  if (apiPaths.some((one) => path === one || path.startsWith(`${one}/`))) return false
  return headers.get('accept')?.includes('text/html') ?? false
}

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location } })
}

/** Responds to a request for a page or one of its files; `undefined`: no page has this address. */
export type AnswerPage = (request: Request) => Promise<Response | undefined>
