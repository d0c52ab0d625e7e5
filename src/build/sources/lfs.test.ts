import { createHash } from 'node:crypto'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { close, listen } from '../../http/listen.ts'
import { fetchLargeFiles, type LfsPointer } from './lfs.ts'

const CONTENT = 'a large file\n'.repeat(1000)
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')
const POINTER: LfsPointer = { path: 'model.bin', oid: digestOf(CONTENT), size: CONTENT.length }

let folder: string
let url: string
let server: ReturnType<typeof createServer>
/** What lies at the server, by digest. */
const stored = new Map<string, string>()
const asked: { url: string; authorization: string | undefined; body: string }[] = []
let batchStatus = 200
let storage: string

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

beforeEach(async () => {
  folder = temporaryFolder()
  await mkdir(join(folder, '.git'))
  await writeFile(join(folder, 'model.bin'), 'pointer', { mode: 0o755 })
  stored.clear()
  asked.length = 0
  batchStatus = 200
  server = createServer(async (request, response) => {
    const { authorization } = request.headers
    asked.push({ url: request.url ?? '', authorization, body: await bodyOf(request) })
    if (!request.url?.endsWith('/objects/batch')) {
      return response.end(stored.get(request.url?.slice(1) ?? ''))
    }
    const { objects } = JSON.parse(asked.at(-1)?.body ?? '') as { objects: LfsPointer[] }
    const answers = objects.map(({ oid }) =>
      stored.has(oid)
        ? { oid, actions: { download: { href: `${storage}/${oid}` } } }
        : { oid, error: { code: 404, message: 'gone' } },
    )
    response.writeHead(batchStatus).end(JSON.stringify({ objects: answers }))
  })
  url = await listen(server, { host: '127.0.0.1', port: 0 })
  storage = url
})
afterEach(async () => {
  await close(server)
})

const named: string[] = []
async function fetchAll(pointers = [POINTER], repository = `${url}/org/app`) {
  const left = await fetchLargeFiles(pointers, {
    repository: { url: repository, credentials: { username: 'bot', password: 'key' } },
    downloads: {
      own: fetch,
      named: (href, init) => {
        named.push(href)
        return fetch(href, init)
      },
    },
    ...{ folder, maxBytes: 1_000_000, signal: new AbortController().signal },
  })
  return left.map(({ pointer, why }) => `${pointer.path}: ${why}`)
}

it('puts a file in the place of its pointer, with the login of the repository', async () => {
  stored.set(POINTER.oid, CONTENT)
  expect(await fetchAll()).toEqual([])
  expect(await readFile(join(folder, 'model.bin'), 'utf8')).toBe(CONTENT)
  expect((await stat(join(folder, 'model.bin'))).mode & 0o777).toBe(0o755)
  const authorization = `Basic ${Buffer.from('bot:key').toString('base64')}`
  expect(asked).toMatchObject([
    { url: '/org/app.git/info/lfs/objects/batch', authorization },
    { url: `/${POINTER.oid}`, authorization },
  ])
  expect(named).toEqual([])
})

it('fetches from another server without that login, by the guarded way', async () => {
  stored.set(POINTER.oid, CONTENT)
  storage = url.replace('127.0.0.1', 'localhost')
  expect(await fetchAll()).toEqual([])
  expect(asked.at(-1)?.authorization).toBeUndefined()
  expect(named).toEqual([`${storage}/${POINTER.oid}`])
  named.length = 0
})

it('leaves the pointer where the content is another one, and says so', async () => {
  stored.set(POINTER.oid, 'x'.repeat(CONTENT.length))
  expect(await fetchAll()).toEqual(['model.bin: its digest is not the one of its pointer'])
  stored.set(POINTER.oid, `${CONTENT}more`)
  expect(await fetchAll()).toEqual(['model.bin: it is larger than its pointer says'])
  expect(await readFile(join(folder, 'model.bin'), 'utf8')).toBe('pointer')
})

it('says what a server does not have, and of one that does not speak LFS', async () => {
  expect(await fetchAll()).toEqual(['model.bin: the server does not have it'])
  batchStatus = 404
  expect(await fetchAll()).toEqual(['model.bin: the server answered 404 to the request of LFS'])
  const ssh = 'git@hub.example:org/app.git'
  expect(await fetchAll([POINTER], ssh)).toEqual(['model.bin: LFS is fetched over https alone'])
})

it('fetches nothing where all together are too large', async () => {
  const huge = { ...POINTER, size: 2_000_000 }
  expect(await fetchAll([huge])).toEqual(['model.bin: together they have more than 1000000 bytes'])
  expect(asked).toEqual([])
})
