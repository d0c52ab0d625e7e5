/** A client of Git LFS: fetches the files that a repository's pointers stand for, by the batch API. */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { chmod, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import type { RepositoryUrl } from './git-command.ts'

type Fetch = (url: string, init?: RequestInit) => Promise<Response>

/** How large files are fetched; answers are not read before their bodies are. */
export interface LfsDownloads {
  /** From the repository's own server, wherever that is. */
  own: Fetch
  /** From addresses that the server names. */
  named: Fetch
}

interface LfsRequest {
  repository: RepositoryUrl
  /** The checkout, still with its `.git`; absolute. */
  folder: string
  downloads: LfsDownloads
  /** Of all files together. */
  maxBytes: number
  signal: AbortSignal
}

const MEDIA_TYPE = 'application/vnd.git-lfs+json'
const BATCH = 100

const BatchAnswer = z.object({
  objects: z.array(
    z.object({
      oid: z.string(),
      actions: z
        .object({
          download: z
            .object({ href: z.url(), header: z.record(z.string(), z.string()).optional() })
            .optional(),
        })
        .optional(),
    }),
  ),
})

type Action = { href: string; header?: Record<string, string> | undefined }

/**
 * Replaces each pointer by its file, once the digest is verified. Returns the files that were not fetched, each with
 * the reason; the server need not speak LFS. Rejects when the signal is aborted.
 */
export async function fetchLargeFiles(
  pointers: readonly LfsPointer[],
  request: LfsRequest,
): Promise<{ pointer: LfsPointer; why: string }[]> {
  const { repository, maxBytes, signal } = request
  const all = (why: string) => pointers.map((pointer) => ({ pointer, why }))
  if (!/^https?:/.test(repository.url)) return all('LFS is fetched over https alone')
  const bytes = pointers.reduce((sum, { size }) => sum + size, 0)
  if (bytes > maxBytes) return all(`together they have more than ${maxBytes} bytes`)
  const left: { pointer: LfsPointer; why: string }[] = []
  for (let at = 0; at < pointers.length; at += BATCH) {
    const some = pointers.slice(at, at + BATCH)
    const actions = await askForActions(some, request).catch((error: Error) => error)
    for (const pointer of some) {
      signal.throwIfAborted()
      const why = await fetchOne(pointer, actions, request)
      if (why !== undefined) left.push({ pointer, why })
    }
  }
  return left
}

/** Returns the server's actions by digest. Rejects with the reason. */
async function askForActions(
  pointers: readonly LfsPointer[],
  { repository, downloads, signal }: LfsRequest,
): Promise<Map<string, Action>> {
  const objects = pointers.map(({ oid, size }) => ({ oid, size }))
  const response = await downloads.own(`${endpointOf(repository.url)}/objects/batch`, {
    method: 'POST',
    headers: { ...loginOf(repository), accept: MEDIA_TYPE, 'content-type': MEDIA_TYPE },
    body: JSON.stringify({ operation: 'download', transfers: ['basic'], objects }),
    signal,
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`the server answered ${response.status} to the request of LFS`)
  }
  const answer = BatchAnswer.parse(await response.json())
  const found = answer.objects.flatMap(({ oid, actions }) =>
    actions?.download ? [[oid, actions.download] as const] : [],
  )
  return new Map(found)
}

/** Derives it as git-lfs does. */
function endpointOf(url: string): string {
  const bare = url.replace(/\/+$/, '')
  return `${bare.endsWith('.git') ? bare : `${bare}.git`}/info/lfs`
}

function loginOf({ credentials }: RepositoryUrl): Record<string, string> {
  if (!credentials) return {}
  const { username, password } = credentials
  const text = Buffer.from(`${username}:${password}`).toString('base64')
  return { authorization: `Basic ${text}` }
}

/** Returns the reason if it was not fetched. */
async function fetchOne(
  pointer: LfsPointer,
  actions: Map<string, Action> | Error,
  request: LfsRequest,
): Promise<string | undefined> {
  if (actions instanceof Error) return actions.message
  const action = actions.get(pointer.oid)
  if (!action) return 'the server does not have it'
  const part = join(request.folder, '.git', 'lfs-part')
  try {
    await download(pointer, action, { ...request, part })
    return undefined
  } catch (error) {
    request.signal.throwIfAborted()
    return error instanceof Error ? error.message : String(error)
  } finally {
    await rm(part, { force: true })
  }
}

async function download(
  { path, oid, size }: LfsPointer,
  { href, header }: Action,
  { repository, folder, downloads, signal, part }: LfsRequest & { part: string },
): Promise<void> {
  const isOwn = new URL(href).origin === new URL(repository.url).origin
  const headers = { ...(isOwn && loginOf(repository)), ...header }
  const response = await (isOwn ? downloads.own : downloads.named)(href, { headers, signal })
  if (response.status !== 200 || !response.body) {
    throw new Error(`its server answered ${response.status}`)
  }
  const hash = createHash('sha256')
  const checked = async function* (content: AsyncIterable<Uint8Array>) {
    let bytes = 0
    for await (const chunk of content) {
      bytes += chunk.length
      if (bytes > size) throw new Error('it is larger than its pointer says')
      hash.update(chunk)
      yield chunk
    }
  }
  const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0])
  await pipeline(body, checked, createWriteStream(part), { signal })
  if (hash.digest('hex') !== oid) throw new Error('its digest is not the one of its pointer')
  const target = join(folder, path)
  await chmod(part, (await stat(target)).mode)
  await rename(part, target)
}

export interface LfsPointer {
  /** From the top of the repository. */
  path: string
  /** SHA-256 of the content. */
  oid: string
  /** In bytes. */
  size: number
}

/** By the specification of LFS. */
const MAX_POINTER_BYTES = 1024

const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-.*\n)*oid sha256:([0-9a-f]{64})\nsize (\d+)\n?$/

/** Larger `.gitattributes` files are ignored. */
const MAX_ATTRIBUTES_BYTES = 1024 * 1024

/** `entries`: as `git ls-tree -r -l -z` prints those of the commit that lies in the folder. */
export async function findLfsPointers(folder: string, entries: string): Promise<LfsPointer[]> {
  const files = entries.split('\0').flatMap(readEntry)
  if (!(await isLfsUsed(folder, files))) return []
  const found: LfsPointer[] = []
  for (const { path, bytes } of files) {
    if (bytes > MAX_POINTER_BYTES) continue
    const [, oid, size] = POINTER.exec(await readFile(join(folder, path), 'utf8')) ?? []
    if (oid !== undefined) found.push({ path, oid, size: Number(size) })
  }
  return found
}

interface Entry {
  path: string
  bytes: number
}

/** Only regular files: a link may lead anywhere. */
function readEntry(entry: string): Entry[] {
  const [, bytes, path] = /^100\d{3} blob [0-9a-f]+ +(\d+)\t(.+)$/s.exec(entry) ?? []
  return path === undefined ? [] : [{ path, bytes: Number(bytes) }]
}

/** A file is a pointer only where an attribute says so. */
async function isLfsUsed(folder: string, files: Entry[]): Promise<boolean> {
  for (const { path, bytes } of files) {
    if (basename(path) !== '.gitattributes' || bytes > MAX_ATTRIBUTES_BYTES) continue
    if (/\bfilter=lfs\b/.test(await readFile(join(folder, path), 'utf8'))) return true
  }
  return false
}
