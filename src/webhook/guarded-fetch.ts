/**
 * Sends requests of the OAuth vault, and to registries, by the rules of webhooks: only to public addresses, unless the
 * operator allows more. Also makes the agent that webhooks connect with.
 */

import { type LookupAddress, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Agent } from 'undici'
import { AppError } from '../core/errors.ts'
import { type IpRange, isInRange } from '../core/network/ip-range.ts'
import type { Outgoing } from '../core/network/outgoing.ts'
import { addressIn, isReachable } from './url-rules.ts'

const DEFAULT_TIMEOUT_MS = 10_000
/** The longest response that is read. Tokens and metadata are short. */
const MAX_BYTES = 1024 * 1024

interface GuardedFetchOptions {
  /** Non-public addresses that may be reached, also without TLS. */
  allowed: readonly IpRange[]
  /** The setting that allows more, for messages. `null`: there is none. Default `RUNYARD_OAUTH_ALLOW`. */
  setting?: string | null
  /** The limit for a whole exchange; 10 s by default. */
  timeoutMs?: number
  resolve?: ResolveName
  /**
   * Returns the response before its body is read, which may have any length. `timeoutMs` then applies from piece to
   * piece. Default false.
   */
  isStreamed?: boolean
}

/** Connections are made at the first request, and closed with the process. */
export function createGuardedFetch(options: GuardedFetchOptions): Outgoing {
  const { allowed, timeoutMs = DEFAULT_TIMEOUT_MS, resolve } = options
  const { setting = 'RUNYARD_OAUTH_ALLOW', isStreamed = false } = options
  const agents: Partial<Record<string, Promise<Agent>>> = {}
  const agentFor = (protocol: string) => {
    // Plain text is sent only in networks that the operator allows.
    agents[protocol] ??= createGuardedAgent(allowed, {
      timeoutMs,
      setting,
      isPublicReached: protocol === 'https:',
      ...(resolve && { resolve }),
    })
    return agents[protocol]
  }
  const problemOf = (url: URL) => problemIn(url, { allowed, setting })
  return {
    problemOf,
    async fetch(text, init) {
      const url = new URL(text)
      const problem = problemOf(url)
      if (problem) throw new AppError('unavailable', problem)
      try {
        const dispatcher = await agentFor(url.protocol)
        return await send(url, { ...init, dispatcher }, isStreamed ? undefined : timeoutMs)
      } catch (error) {
        throw asRefusal(url, error)
      }
    },
  }
}

function problemIn(
  url: URL,
  { allowed, setting }: { allowed: readonly IpRange[]; setting: string | null },
): string | undefined {
  const { protocol, hostname, username, password } = url
  if (protocol !== 'https:' && protocol !== 'http:') return 'Give an https URL.'
  if (username || password) return 'A URL must not hold a password.'
  if (url.hash) return 'A URL here has no part after "#".'
  if (protocol === 'http:' && allowed.length === 0) return 'Give an https URL.'
  const address = addressIn(hostname)
  if (address === undefined) return undefined
  const isGood = protocol === 'https:' ? isReachable(address, allowed) : isInRange(address, allowed)
  if (isGood) return undefined
  return `${hostname} is not a public address.${adviceOf(setting)}`
}

/** `timeoutMs`: for the whole exchange; absent: the response's body is not read here. */
async function send(
  url: URL,
  asked: Omit<RequestInit, 'dispatcher'> & { dispatcher: Agent },
  timeoutMs: number | undefined,
): Promise<Response> {
  const { fetch } = await import('undici')
  const signals = [asked.signal ?? [], timeoutMs ? AbortSignal.timeout(timeoutMs) : []].flat()
  const init = { ...asked, redirect: 'manual', signal: AbortSignal.any(signals) }
  const response = await fetch(url, init as Parameters<typeof fetch>[1])
  if (timeoutMs === undefined) return response as unknown as Response
  const body = await readLimited(response.body)
  const { status, statusText } = response
  const headers = [...response.headers].filter(([name]) => !isAboutTransfer(name))
  const hasBody = body.length > 0
  return new Response(hasBody ? body : null, { status, statusText, headers })
}

/** The body has been read and unpacked already. */
function isAboutTransfer(name: string): boolean {
  return ['content-encoding', 'content-length', 'transfer-encoding'].includes(name)
}

async function readLimited(body: AsyncIterable<Uint8Array> | null): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new Error(`it answers with more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function asRefusal(url: URL, error: unknown): AppError {
  const { name, message, cause } = error as Error
  const isSlow = name === 'TimeoutError' || name === 'AbortError'
  const why = isSlow ? 'there was no answer in time' : ((cause as Error)?.message ?? message)
  return new AppError('unavailable', `${url.host} could not be asked: ${why}.`, { cause: error })
}

/** Finds all addresses of a host name. */
export type ResolveName = (hostname: string) => Promise<LookupAddress[]>

/** Uses the machine's own resolver. */
const resolveName: ResolveName = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true, verbatim: true }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    )
  })

interface GuardedAgentOptions {
  timeoutMs: number
  /** Default: the machine's own resolver. */
  resolve?: ResolveName
  /**
   * The name of the setting with which the operator allows more, for the message. `null`: there is none. Default
   * `RUNYARD_WEBHOOK_ALLOW`.
   */
  setting?: string | null
  /** Whether public addresses are allowed. Default true. False: only what the operator allows. */
  isPublicReached?: boolean
}

/**
 * Makes a dispatcher that connects to exactly those addresses that were checked: a name is resolved once, so that it
 * cannot mean another address a moment later. It follows no redirects. The caller must check hosts that are addresses
 * themselves, since those are not resolved.
 *
 * The library is loaded here, so that servers start faster; most send no webhook.
 */
export async function createGuardedAgent(
  allowed: readonly IpRange[],
  options: GuardedAgentOptions,
): Promise<Agent> {
  const { timeoutMs, resolve = resolveName, setting = 'RUNYARD_WEBHOOK_ALLOW' } = options
  const { isPublicReached = true } = options
  const isGood = (address: string) =>
    isPublicReached ? isReachable(address, allowed) : isInRange(address, allowed)
  const undici = await import('undici')
  return new undici.Agent({
    connect: { timeout: timeoutMs, lookup: guardedLookup(isGood, { resolve, setting }) },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    allowH2: false,
    connections: 16,
    pipelining: 1,
  })
}

function guardedLookup(
  isGood: (address: string) => boolean,
  { resolve, setting }: { resolve: ResolveName; setting: string | null },
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const reachable = addresses.filter(({ address }) => isGood(address))
        const [first] = reachable
        if (!first) callback(forbidden(hostname, setting), '', 0)
        else if (options.all) callback(null, reachable)
        else callback(null, first.address, first.family)
      },
      (error) => callback(error, '', 0),
    )
  }
}

function forbidden(hostname: string, setting: string | null): NodeJS.ErrnoException {
  const message = `${hostname} stands for no public address.${adviceOf(setting)}`
  return Object.assign(new Error(message), { code: 'ERR_FORBIDDEN_ADDRESS' })
}

/** The sentence of a refusal that says where the operator can allow the address. */
function adviceOf(setting: string | null): string {
  return setting === null ? '' : ` The operator can allow it in ${setting}.`
}
