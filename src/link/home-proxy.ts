/**
 * Connects the agents of this process to their control plane: an address of the loopback, which adds their deployment's
 * key. The key itself is in no variable, where a name would be enough to read it.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import type { Home } from './messages.ts'

/** Requests below this path get the key; all others are passed on as they came. */
const VAULT = '/v2/auth/'

/** Headers that belong to one connection. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'host']

interface HomeProxy {
  /**
   * Without a slash at the end. Its path cannot be guessed: other processes of the machine reach the loopback
   * too.
   */
  url: string
  stop(): Promise<void>
}

/** Requests below its URL go to the control plane, in any number and for as long as they take. */
export async function startHomeProxy(home: Home): Promise<HomeProxy> {
  const base = `/${randomBytes(24).toString('base64url')}`
  const server = createServer((request, response) => {
    const { url = '' } = request
    if (url.startsWith(`${base}/`))
      return void passOn(home, url.slice(base.length), { request, response })
    refuse(response, 404, 'The control plane is below RUNYARD_URL.')
  })
  // A request may wait for a consent, and the answer to one may be a stream.
  server.requestTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}${base}`, stop: () => stop(server) }
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

async function passOn(home: Home, path: string, { request, response }: Exchange): Promise<void> {
  const target = new URL(home.url + path)
  const send = target.protocol === 'https:' ? requestHttps : requestHttp
  const headers = headersFor(home, target, request)
  const asked = send(target, { method: request.method, headers })
  response.on('close', () => asked.destroy())
  // The answer may come before the whole request is sent; what fails is an error of `asked`.
  pipeline(request, asked).catch(() => {})
  try {
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    response.writeHead(answer.statusCode ?? 502, withoutConnection(answer.headers))
    await pipeline(answer, response)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    if (response.headersSent) response.destroy()
    else refuse(response, 502, `The control plane cannot be reached: ${why}.`)
  }
}

function headersFor({ key }: Home, target: URL, { headers }: IncomingMessage): OutgoingHttpHeaders {
  const sent = withoutConnection(headers)
  if (!target.pathname.startsWith(VAULT)) return sent
  const { authorization: _, ...others } = sent
  return { ...others, 'x-api-key': key }
}

function withoutConnection(headers: IncomingMessage['headers']): OutgoingHttpHeaders {
  const entries = Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name))
  return Object.fromEntries(entries)
}

function refuse(response: ServerResponse, status: number, detail: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ detail }))
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  await closed
}
