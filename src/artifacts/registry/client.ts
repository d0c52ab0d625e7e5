/**
 * A client of registries, by the distribution specification: resolves references to digests, and removes images that
 * are no longer used. Engines move the images themselves.
 */
import { createHash } from 'node:crypto'
import type { ImageReference } from '../../core/deployment/images/image.ts'
import type { RegistryLogin } from '../../core/deployment/images/pull-secret.ts'
import type { ImageRegistry } from '../../core/deployment/images/registry.ts'
import { AppError } from '../../core/errors.ts'
import type { Outgoing } from '../../core/network/outgoing.ts'
import { type Challenge, parseChallenge } from './challenge.ts'
import {
  chooseManifest,
  configurationOf,
  hasTriggersIn,
  labelsIn,
  possibleManifests,
} from './labels.ts'

/** Where a registry answers, and how requests get there. */
export interface Way {
  /** `https://registry.example.com`, without a slash at the end. */
  base: string
  outgoing: Outgoing
}

type Method = 'HEAD' | 'GET' | 'DELETE'

interface Asking {
  way: Way
  image: ImageReference
  login: RegistryLogin | undefined
  signal: AbortSignal | undefined
}

const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ')
const DIGEST = /^sha256:[0-9a-f]{64}$/

/** `wayTo`: for a registry as references name it. */
export function createRegistryClient(wayTo: (registry: string) => Way): ImageRegistry {
  return {
    async digestOf(image, { login, signal }) {
      const asking = { way: wayTo(image.registry), image, login, signal }
      const answer = await askForManifest('HEAD', asking)
      const told = answer.response.headers.get('docker-content-digest')
      const digest = told && DIGEST.test(told) ? told : await hashOfManifest(asking, answer)
      if (image.digest === null || image.digest === digest) return digest
      throw new AppError(
        'unavailable',
        `The registry ${image.registry} answers ${image.digest} with ${digest}.`,
      )
    },
    async labelsOf(image, { login, signal }) {
      const asking = { way: wayTo(image.registry), image, login, signal }
      const { manifest, authorization } = await readManifest(asking)
      const chosen = chooseManifest(manifest)
      const one = chosen
        ? (await readManifest({ ...asking, image: { ...image, digest: chosen } })).manifest
        : manifest
      const digest = configurationOf(one)
      return digest ? labelsIn(JSON.parse(await readBlob(asking, digest, authorization))) : {}
    },
    async hasTriggers(image, { login, signal }) {
      const asking = { way: wayTo(image.registry), image, login, signal }
      const possible = possibleManifests((await readExactManifest(asking)).text)
      if (possible === undefined) return true
      const all = possible === 'itself' ? [image.digest] : possible
      for (const digest of all) {
        if (await isTriggering({ ...asking, image: { ...image, digest } })) return true
      }
      return false
    },
    async remove(image, { login, signal }) {
      const asking = { way: wayTo(image.registry), image, login, signal }
      const { response } = await askAbout('DELETE', asking)
      const { status } = response
      if (!response.ok && status !== 404) throw keeps(asking, status)
    },
  }
}

/** Checks one image by its digest: everything that an engine will read of it. */
async function isTriggering(asking: Asking): Promise<boolean> {
  const { text, authorization } = await readExactManifest(asking)
  const digest = possibleManifests(text) === 'itself' && configurationOf(JSON.parse(text))
  return !digest || hasTriggersIn(await readBlob(asking, digest, authorization))
}

/** Reads exactly the digest's manifest: a registry may send different clients different ones. */
async function readExactManifest(asking: Asking) {
  const { response, authorization } = await askForManifest('GET', asking)
  const bytes = Buffer.from(await response.arrayBuffer())
  if (hashOf(bytes) !== asking.image.digest) throw isAnother(asking, asking.image.digest)
  return { text: bytes.toString(), authorization }
}

async function readManifest(asking: Asking) {
  const { response, authorization } = await askForManifest('GET', asking)
  return { manifest: await response.json().catch(() => undefined), authorization }
}

/** Registries redirect to stores with signed URLs, which do not get the login. */
async function readBlob(
  asking: Asking,
  digest: string,
  authorization: string | undefined,
): Promise<string> {
  const { way, image, signal } = asking
  const url = `${way.base}/v2/${image.repository}/blobs/${digest}`
  const headers = authorization === undefined ? {} : { authorization }
  const init = signal ? { signal } : {}
  const first = await way.outgoing.fetch(url, { ...init, headers })
  const elsewhere = first.status >= 300 && first.status < 400 && first.headers.get('location')
  const response = elsewhere ? await way.outgoing.fetch(new URL(elsewhere, url).href, init) : first
  const bytes = Buffer.from(await accepted(response, asking).arrayBuffer())
  if (hashOf(bytes) !== digest) throw isAnother(asking, digest)
  return bytes.toString()
}

function isAnother({ image }: Asking, digest: string | null): AppError {
  return new AppError(
    'unavailable',
    `The registry ${image.registry} answers ${digest} with another.`,
  )
}

function hashOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

interface ManifestAnswer {
  response: Response
  /** The header of the request that was answered; absent: no login was needed. */
  authorization?: string
}

async function askForManifest(method: 'HEAD' | 'GET', asking: Asking): Promise<ManifestAnswer> {
  const answer = await askAbout(method, asking)
  accepted(answer.response, asking)
  return answer
}

/** The first request shows which login the registry wants; the second one sends it. */
async function askAbout(method: Method, asking: Asking): Promise<ManifestAnswer> {
  const first = await send(method, asking)
  if (first.status !== 401) return { response: first }
  const challenge = parseChallenge(first.headers.get('www-authenticate'))
  const authorization = challenge && (await answerTo(challenge, asking))
  if (authorization === undefined) throw refused(asking)
  return { response: await send(method, asking, authorization), authorization }
}

/** Some registries do not send the digest: it is that of the manifest's bytes. */
async function hashOfManifest(asking: Asking, { authorization }: ManifestAnswer): Promise<string> {
  const response = accepted(await send('GET', asking, authorization), asking)
  const bytes = new Uint8Array(await response.arrayBuffer())
  return hashOf(bytes)
}

function send(
  method: Method,
  { way, image, signal }: Asking,
  authorization?: string,
): Promise<Response> {
  const { repository, tag, digest } = image
  const url = `${way.base}/v2/${repository}/manifests/${digest ?? tag ?? 'latest'}`
  const headers = { accept: MANIFESTS, ...(authorization !== undefined && { authorization }) }
  return way.outgoing.fetch(url, { method, headers, ...(signal && { signal }) })
}

function accepted(response: Response, asking: Asking): Response {
  const { status } = response
  const { registry, repository } = asking.image
  if (status === 200) return response
  if (status === 401 || status === 403) throw refused(asking)
  if (status === 404) {
    throw new AppError('bad_request', `There is no image ${nameOf(asking.image)} in ${registry}.`)
  }
  throw new AppError(
    codeOf(status),
    `The registry ${registry} answers ${status} when asked for ${repository}.`,
  )
}

/** Many registries remove nothing unless they are configured to. */
function keeps({ image }: Asking, status: number): AppError {
  return new AppError(
    codeOf(status),
    `The registry ${image.registry} answers ${status} when asked to remove ${nameOf(image)}.`,
  )
}

/** Whether asking again later may help. */
function codeOf(status: number): 'unavailable' | 'bad_request' {
  return status === 429 || status >= 500 ? 'unavailable' : 'bad_request'
}

/** The header that answers the challenge; `undefined`: it wants a login, and there is none. */
async function answerTo(challenge: Challenge, asking: Asking): Promise<string | undefined> {
  const { login } = asking
  if (challenge.scheme === 'basic') return login && basic(login)
  return `Bearer ${await fetchToken(challenge, asking)}`
}

/** Public images need no login for a token. */
async function fetchToken(challenge: Challenge, asking: Asking): Promise<string> {
  const { way, image, login, signal } = asking
  const url = URL.parse(challenge.realm ?? '')
  if (!url) throw new AppError('unavailable', `${image.registry} names no place to get a token.`)
  if (challenge.service) url.searchParams.set('service', challenge.service)
  url.searchParams.set('scope', challenge.scope ?? `repository:${image.repository}:pull`)
  const headers = login && { authorization: basic(login) }
  const response = await way.outgoing.fetch(url.href, {
    ...(headers && { headers }),
    ...(signal && { signal }),
  })
  if (response.status === 401 || response.status === 403) throw refused(asking)
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown> | null
  const token = answer?.token ?? answer?.access_token
  // A header must not be given more than one line.
  if (response.ok && typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token
  throw new AppError('unavailable', `${url.host} gives no token for ${image.registry}.`)
}

function basic({ username, password }: RegistryLogin): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

function refused({ image, login }: Asking): AppError {
  const who = login ? `to ${login.username}` : 'without a login'
  return new AppError(
    'bad_request',
    `The registry ${image.registry} does not show ${nameOf(image)} ${who}: it is not there, or ` +
      'private. A private image needs the secret RUNYARD_PULL_SECRET with a login that may pull it.',
  )
}

function nameOf({ repository, tag, digest }: ImageReference): string {
  return digest === null ? `${repository}:${tag ?? 'latest'}` : `${repository}@${digest}`
}
