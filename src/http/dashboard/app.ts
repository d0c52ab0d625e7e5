/** Serves the browser app: its page at each of its paths, and its files. */
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getMimeType } from 'hono/utils/mime'
import { type Absence, answerNotBuilt } from './not-built.ts'
import { COMPONENT_FRAME, FRAME_HEADERS, pageHeaders } from './policy.ts'

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
  const files = new AppFiles(options.folder)
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    const path = pathBelow(options.mount, new URL(request.url).pathname)
    if (path === undefined) return undefined
    const file = await answerFile(files, path, request.headers)
    if (file) return file
    if (!isPage(path, request.headers, options.apiPaths)) return undefined
    const deployment_id = OF_OFFICIAL_CLI.exec(path)?.[1]
    if (deployment_id) return redirect(`${options.mount}/deployments/${deployment_id}`)
    return answerPage(files, request.headers, options)
  }
}

async function answerFile(
  files: AppFiles,
  path: string,
  headers: Headers,
): Promise<Response | undefined> {
  const name = path.slice(1)
  const file = await files.find(name, encodingsIn(headers.get('accept-encoding')))
  if (!file) return undefined
  const { body, etag, encoding } = file
  const answer = {
    etag,
    'cache-control': path.startsWith('/assets/') ? FOR_EVER : CHECKED,
    vary: 'Accept-Encoding',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    ...(name === COMPONENT_FRAME && FRAME_HEADERS),
  }
  if (isKnown(headers.get('if-none-match'), etag)) {
    return new Response(null, { status: 304, headers: answer })
  }
  return new Response(body, {
    headers: {
      ...answer,
      'content-type': getMimeType(name) ?? 'application/octet-stream',
      'content-length': String(body.length),
      ...(encoding && { 'content-encoding': encoding }),
    },
  })
}

function answerPage(
  files: AppFiles,
  headers: Headers,
  { mode, mount, prefixOf, absence }: DashboardOptions,
): Response {
  const nonce = randomBytes(16).toString('base64url')
  const { page } = files
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

function isKnown(header: string | null, etag: string): boolean {
  return header?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag) ?? false
}

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location } })
}

// The files of the built app, found once and read on request.

/** The endings of compressed files, by encoding, the best first. */
const ENDINGS = { br: '.br', gzip: '.gz' } as const
type Encoding = keyof typeof ENDINGS

interface AppFile {
  body: Uint8Array<ArrayBuffer>
  /** Changes with the content. */
  etag: string
  encoding: Encoding | undefined
}

interface Build {
  /** The time of `index.html`, which differs in each build. */
  builtAt: number
  page: string
  names: ReadonlySet<string>
  read: Map<string, Promise<AppFile>>
}

/** Opens only names that the folder contains, so that no path leads outside. */
class AppFiles {
  readonly #folder: string
  #build: Build | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** `index.html` as it was built; `undefined`: nothing is built yet. */
  get page(): string | undefined {
    return this.#current()?.page
  }

  /** A file by its path below the folder, in the best compression that the client accepts. */
  async find(path: string, accepted: readonly Encoding[]): Promise<AppFile | undefined> {
    const build = this.#current()
    if (!build?.names.has(path) || isCompressed(path)) return undefined
    const encoding = accepted.find((one) => build.names.has(path + ENDINGS[one]))
    const name = encoding ? path + ENDINGS[encoding] : path
    const found = build.read.get(name) ?? readWhole(join(this.#folder, name), encoding)
    build.read.set(name, found)
    return found
  }

  /** Checks for a newer build in the folder. */
  #current(): Build | undefined {
    const builtAt = changedAt(join(this.#folder, 'index.html'))
    if (builtAt === undefined) return undefined
    if (this.#build?.builtAt !== builtAt) this.#build = readBuild(this.#folder, builtAt)
    return this.#build
  }
}

/** The encodings that a browser accepts, by its `accept-encoding`. */
function encodingsIn(header: string | null): Encoding[] {
  const named = (header ?? '').split(',').flatMap((part) => {
    const [name = '', weight] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*q=/)
    return Number(weight ?? 1) > 0 ? [name] : []
  })
  return (Object.keys(ENDINGS) as Encoding[]).filter((one) => named.includes(one))
}

function changedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs
}

function readBuild(folder: string, builtAt: number): Build {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isFile() && entry.name !== 'index.html')
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  return { builtAt, page, names: new Set(names), read: new Map() }
}

function isCompressed(path: string): boolean {
  return Object.values(ENDINGS).some((ending) => path.endsWith(ending))
}

async function readWhole(file: string, encoding: Encoding | undefined): Promise<AppFile> {
  const body = new Uint8Array(await readFile(file))
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  return { body, etag, encoding }
}

/** Responds to a request for a page or one of its files; `undefined`: no page has this address. */
export type AnswerPage = (request: Request) => Promise<Response | undefined>
