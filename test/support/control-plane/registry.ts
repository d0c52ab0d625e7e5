/** Debian's registry of images, on a free port of the loopback, where it is installed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { endTogether } from '../processes/end-together.ts'

const COMMAND = '/usr/bin/docker-registry'

/** Why there is none; empty where there is. */
export const NO_REGISTRY = existsSync(COMMAND) ? '' : 'docker-registry is not installed'

/** Whom a registry with logins knows. Both may do everything. */
export const PULLER = { username: 'runyard', password: 'runyard-pulls' }
export const PUSHER = { username: 'oauth2accesstoken', password: 'people-push' }

const PASSWORDS = `runyard:$2b$04$R1c8Jn5UGnmV/CcOBdZCmeEs4TPetaNxpUh00P9qEc9.RmbPALJD.
oauth2accesstoken:$2b$04$o6hB.iLsyKmTFddTIXMtTuXEQ9d9K.ASciLWFckbuxtWo6Y2gJsrC
`

export interface TestRegistry {
  /** `127.0.0.1:PORT`, as image references begin. */
  host: string
  /** Puts an image that holds nothing but `content` there, and answers its digest. */
  put(
    repository: string,
    tag: string,
    content?: string,
    labels?: Record<string, string>,
  ): Promise<string>
  /** The digest that a tag stands for; `undefined`: there is none. */
  digestOf(repository: string, tag: string): Promise<string | undefined>
  stop(): Promise<void>
}

/** `removes: false`: as registries come, which remove nothing. */
export async function startRegistry({
  hasLogins = false,
  removes = true,
} = {}): Promise<TestRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-'))
  writeFileSync(join(folder, 'passwords'), PASSWORDS)
  writeFileSync(join(folder, 'config.yml'), configuration(folder, { hasLogins, removes }))
  const child = spawn(COMMAND, ['serve', join(folder, 'config.yml')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {},
  })
  endTogether(child, 'SIGKILL')
  const host = await listening(child)
  const headers = hasLogins ? { authorization: `Basic ${basic(PULLER)}` } : {}
  const call = (method: string, path: string, init: RequestInit = {}) =>
    fetch(path.startsWith('http') ? path : `http://${host}/v2/${path}`, {
      ...init,
      method,
      headers: { ...headers, ...init.headers },
    })
  return {
    host,
    put: (repository, tag, content = 'nothing', labels = {}) =>
      putImage(call, repository, tag, { content, ...labels }),
    async digestOf(repository, tag) {
      const init = { headers: { accept: MANIFEST } }
      const response = await call('HEAD', `${repository}/manifests/${tag}`, init)
      return response.headers.get('docker-content-digest') ?? undefined
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const gone = once(child, 'exit')
        child.kill('SIGKILL')
        await gone
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function configuration(folder: string, { hasLogins = false, removes = true }): string {
  const auth = `auth: {htpasswd: {realm: tests, path: ${join(folder, 'passwords')}}}`
  return `version: 0.1
log: {level: info, accesslog: {disabled: true}}
storage: {filesystem: {rootdirectory: ${join(folder, 'data')}}, delete: {enabled: ${removes}}}
http: {addr: "127.0.0.1:0"}
${hasLogins ? auth : ''}
`
}

/** It logs where it listens, and goes on to log. */
async function listening(child: ChildProcess): Promise<string> {
  const { stderr } = child
  if (!stderr) throw new Error('The registry has no log.')
  const said: string[] = []
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  createInterface({ input: stderr }).on('line', (line) => {
    said.push(line)
    const [, host] = /listening on (127\.0\.0\.1:\d+)/.exec(line) ?? []
    if (host) resolve(host)
  })
  child.once('exit', () => reject(new Error(`The registry has ended:\n${said.join('\n')}`)))
  return promise
}

const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json'

type Call = (method: string, path: string, init?: RequestInit) => Promise<Response>

async function putImage(
  call: Call,
  repository: string,
  tag: string,
  Labels: Record<string, string>,
) {
  const config = { architecture: 'amd64', os: 'linux', rootfs: { type: 'layers', diff_ids: [] } }
  const text = JSON.stringify({ ...config, config: { Labels } })
  const digest = await putBlob(call, repository, text)
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: {
      mediaType: 'application/vnd.docker.container.image.v1+json',
      size: Buffer.byteLength(text),
      digest,
    },
    layers: [],
  })
  const headers = { 'content-type': MANIFEST }
  const init = { headers, body: manifest }
  const response = await call('PUT', `${repository}/manifests/${tag}`, init)
  if (!response.ok) throw new Error(`The registry answers ${response.status} to the manifest.`)
  return digestOfText(manifest)
}

async function putBlob(call: Call, repository: string, text: string): Promise<string> {
  const begun = await call('POST', `${repository}/blobs/uploads/`)
  const digest = digestOfText(text)
  const url = new URL(begun.headers.get('location') ?? '')
  url.searchParams.set('digest', digest)
  const headers = { 'content-type': 'application/octet-stream' }
  const put = await call('PUT', url.href, { headers, body: text })
  if (!put.ok) throw new Error(`The registry answers ${put.status} to a blob.`)
  return digest
}

function digestOfText(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

export function basic({ username, password }: { username: string; password: string }): string {
  return Buffer.from(`${username}:${password}`).toString('base64')
}
