/** Thousands of requests against one server, each answer looked at, ids taken up on the way. */
import { Agent } from 'node:http'
import fc from 'fast-check'
import { nameOf, type OpenApiDocument, operationsOf } from '../contract/document.ts'
import { percentEncoded } from './hostile.ts'
import type { KnownIds } from './known-values.ts'
import { type FuzzRequest, requestsOf } from './requests.ts'
import { type FuzzAnswer, type FuzzClient, send } from './send.ts'

interface FuzzTarget {
  url: string
  document: OpenApiDocument
  /** Sent with each request: the key. */
  headers: Record<string, string>
  /** Ids to begin with, by name. */
  ids: KnownIds
}

interface FuzzOptions {
  requests: number
  seed: number
  /** No more are sent after that, in ms: for servers that get slower and slower. */
  limitMs: number
  /** An answer that has not ended by then hangs, in ms. Default 60,000. */
  hangMs?: number
}

/** How the operations answered: how many requests each took and refused. */
export type Tally = Map<string, { accepted: number; refused: number }>

/** Long enough for a server that was stopped for a while. */
const HANG_MS = 60_000

/** How many requests are under way at once. */
const AT_ONCE = 8

/** Throws with the request, as `curl` takes it, at the first answer that is not allowed. */
export async function fuzz(target: FuzzTarget, options: FuzzOptions): Promise<Tally> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const client: FuzzClient = { agent, hangMs: options.hangMs ?? HANG_MS }
  const tally: Tally = new Map(
    operationsOf(target.document).map((one) => [nameOf(one), { accepted: 0, refused: 0 }]),
  )
  const batch = fc.array(requestsOf(target.document), { minLength: AT_ONCE, maxLength: AT_ONCE })
  const property = fc.asyncProperty(batch, async (requests) => {
    await Promise.all(requests.map((one) => probe(target, one, client, tally)))
  })
  try {
    await fc.assert(property, {
      seed: options.seed,
      numRuns: Math.ceil(options.requests / AT_ONCE),
      interruptAfterTimeLimit: options.limitMs,
      // What led to a failure lies in the server too, so a smaller batch would tell nothing.
      endOnFailure: true,
    })
  } finally {
    agent.destroy()
  }
  return tally
}

async function probe(
  target: FuzzTarget,
  template: FuzzRequest,
  client: FuzzClient,
  tally: Tally,
): Promise<void> {
  const request = filled(template, target)
  const answer = await send(target.url, request, client).catch((error: Error) => {
    throw new Error(`${error.message}, from\n${asCurl(target.url, request)}`)
  })
  const wrong = complaint(request, answer)
  if (wrong) {
    const shown = answer.body.slice(0, 300)
    throw new Error(`${wrong}: ${answer.status} ${shown}\n${asCurl(target.url, request)}`)
  }
  const count = tally.get(request.operation)
  if (count) count[answer.status < 400 ? 'accepted' : 'refused'] += 1
  if (answer.status < 300 && answer.type.startsWith('application/json')) {
    target.ids.learn(parsed(answer.body), idNameOf(target.document, request.operation))
  }
}

/** What the path of a single thing calls the `id` that an operation on it, or on all, answers. */
function idNameOf({ paths }: OpenApiDocument, operation: string): string | undefined {
  const [path = ''] = operation.split(' ').slice(1)
  const single = Object.keys(paths).find((one) => one.startsWith(`${path}/{`) && one.endsWith('}'))
  return /\{(\w+)\}$/.exec(single ?? path)?.[1]
}

/** What is wrong with an answer; nothing when it is allowed. */
function complaint(
  { method, operation }: FuzzRequest,
  { status, type, body }: FuzzAnswer,
): string | undefined {
  const rpc = rpcErrorIn(body)
  if (status >= 500 || rpc?.code === RPC_INTERNAL_ERROR) return 'a failure of the server'
  if (status < 400 || method === 'HEAD') return undefined
  if (PAGES.includes(operation) && type.startsWith('text/html')) return undefined
  if (!type.startsWith('application/json')) return `an error of type "${type}"`
  if (typeof rpc?.code === 'number' && rpc.message) return undefined
  const detail = (parsed(body) as { detail?: unknown } | undefined)?.detail
  if (typeof detail === 'string' && detail !== '') return undefined
  return Array.isArray(detail) && detail.every(isIssue) ? undefined : 'an error without its detail'
}

/** What browsers are led to: refusals are pages too. */
const PAGES = ['GET /v2/session/oidc/callback']

/** What JSON-RPC says of a failure that is not the caller's. */
const RPC_INTERNAL_ERROR = -32603

/** The error of an answer in JSON-RPC, which has a status of its own. */
function rpcErrorIn(body: string): { code?: unknown; message?: unknown } | undefined {
  const answer = parsed(body) as { jsonrpc?: unknown; error?: object } | null | undefined
  return answer?.jsonrpc === '2.0' ? answer.error : undefined
}

function isIssue(issue: unknown): boolean {
  const { loc, msg, type } = issue as { loc?: unknown; msg?: unknown; type?: unknown }
  return Array.isArray(loc) && typeof msg === 'string' && typeof type === 'string'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function filled(request: FuzzRequest, { ids, headers }: FuzzTarget): FuzzRequest {
  const { path, body } = request
  return {
    ...request,
    path: ids.fill(path, percentEncoded),
    headers: { ...headers, ...request.headers },
    body: body?.includes('@@') ? Buffer.from(ids.fill(body.toString(), inJson)) : body,
  }
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function asCurl(base: string, { method, path, headers, body }: FuzzRequest): string {
  const sent = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  const data = body ? [`--data-binary ${quoted(body.toString().slice(0, 2_000))}`] : []
  return [`curl -X ${method} ${quoted(base + path)}`, ...sent, ...data].join(' ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
