/** The container engine: its address, its clients, and retries while it is away. */
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { request as requestOverTls } from 'node:https'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type Docker from 'dockerode'
import { requireLater } from '../../core/later-package.ts'

const require = createRequire(import.meta.url)

/** Between two tries while the engine is away, in ms. */
const RETRY_MS = 1_000
/** Time limit for an answer, in ms; requests that follow logs or wait for an end have none. */
const ANSWER_MS = 60_000

const GONE = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'EACCES'],
])

/** The operator's settings for the container engine that agent servers run in. */
export interface DockerSettings {
  /** Where the engine is; `undefined`: at the usual socket. */
  host: string | undefined
  /** A folder with `ca.pem`, `cert.pem` and `key.pem` for an engine that is asked over TLS; absolute. */
  certs?: string | undefined
  /** Runyard's own image, for projects that are built to a folder. */
  image: string
  /** A network of the operator's for all containers; `undefined`: one for each deployment. */
  network: string | undefined
  /** `UID:GID` of agent servers; `undefined`: the owner of the data folder, and 10001 for root. */
  user: string | undefined
  /** How long a pull may take, in ms. Default: 10 minutes. */
  pullMs?: number
  /** Tokens and the name of this installation are derived from it. Secret, and the same after a restart. */
  key: Uint8Array
}

export interface Engine {
  docker: Docker
  /** The same without a time limit. */
  patient: Docker
  /** For requests of our own: the function that sends them, and the address. */
  request: typeof request
  at: { socketPath: string } | ({ host: string; port: string } & Partial<Certificates>)
  /** As the operator named it, for sentences. */
  address: string
  /** Where ports that it publishes are reached. */
  host: string
  /** Whether it runs on this machine, so that folders of here can be mounted there. */
  isLocal: boolean
}

interface Certificates {
  /** The authority of the engine's certificate. */
  ca: Buffer
  /** Our own certificate. */
  cert: Buffer
  key: Buffer
}

/**
 * `host`: `unix:///…`, `tcp://HOST:PORT`; `undefined`: the usual socket. `certs`: for TLS with `tcp://`; throws if they
 * cannot be read.
 */
export function openEngine({ host: asked, certs }: Pick<DockerSettings, 'host' | 'certs'>): Engine {
  const address = asked ?? usualSocket()
  const socketPath = /^unix:\/\/(.+)$/.exec(address)?.[1]
  if (socketPath !== undefined) {
    const at = { socketPath }
    return { ...clients(at), request, at, address, host: '127.0.0.1', isLocal: true }
  }
  const { hostname: host, port } = new URL(address.replace(/^tcp:/, 'http:'))
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(host)
  const about = { address, host, isLocal }
  if (certs === undefined) {
    const at = { host, port: port || '2375' }
    return { ...clients({ protocol: 'http', ...at }), request, at, ...about }
  }
  const at = { host, port: port || '2376', ...readCertificates(certs) }
  return { ...clients({ protocol: 'https', ...at }), request: requestOverTls, at, ...about }
}

function readCertificates(folder: string): Certificates {
  const read = (name: string) => readFileSync(join(folder, name))
  return { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') }
}

/** The client needs 28 MB and 0.2 s of processor time, so it is loaded only if there is an engine. */
function clients(options: Docker.DockerOptions) {
  const Client = requireLater<typeof Docker>('to use a container engine', () =>
    require('dockerode'),
  )
  return { docker: new Client({ ...options, timeout: ANSWER_MS }), patient: new Client(options) }
}

function usualSocket(): string {
  const run = process.getuid?.() === 0 ? undefined : `/run/user/${process.getuid?.()}`
  const own = run === undefined ? [] : [`${run}/docker.sock`, `${run}/podman/podman.sock`]
  const usual = [...own, '/var/run/docker.sock', '/run/podman/podman.sock']
  return `unix://${usual.find((path) => existsSync(path)) ?? '/var/run/docker.sock'}`
}

/**
 * Repeats `ask` until the engine answers. While it is away, calls `onAway` once, with a sentence. Throws the engine's
 * refusals, and when `signal` is aborted.
 */
export async function whenThere<T>(
  { address }: Engine,
  ask: () => Promise<T>,
  { signal, onAway }: { signal: AbortSignal; onAway?: (sentence: string) => void },
): Promise<T> {
  for (let hasTold = false; ; hasTold = true) {
    signal.throwIfAborted()
    try {
      return await ask()
    } catch (error) {
      if (!isAway(error)) throw error
      if (!hasTold)
        onAway?.(
          `The container engine at ${address} does not answer (${codeOf(error)}); waiting for it.`,
        )
    }
    await delay(RETRY_MS, undefined, { signal })
  }
}

/** Whether the engine did not answer, so that a retry may help. */
export function isAway(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && GONE.has(code)
}

/** Whether the engine reports that the object does not exist. */
export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404
}

/** Removes the container, running or not. Returns whether it is gone. */
export function isRemoved(container: Docker.Container): Promise<boolean> {
  return container.remove({ v: true, force: true }).then(
    () => true,
    () => false,
  )
}

/** Whether the request is fulfilled already, or is being fulfilled. */
export function isSettled(error: unknown): boolean {
  return [304, 404, 409].includes(statusOf(error) ?? 0)
}

/** In the engine's own words, on one line. */
export function explain(error: unknown): string {
  const { json, message } = error as { json?: { message?: string }; message?: string }
  return (json?.message ?? message ?? String(error)).replaceAll(/\s+/g, ' ').trim()
}

function statusOf(error: unknown): number | undefined {
  return (error as { statusCode?: number }).statusCode
}

function codeOf(error: unknown): string | undefined {
  const { code, message } = error as { code?: string; message?: string }
  // What the HTTP client says when the engine ends in the middle of an answer.
  return code ?? (message === 'socket hang up' ? 'ECONNRESET' : undefined)
}
