/**
 * Serves the built dashboard below `/studio` in front of one agent server: the app's files, and everything
 * else passed on with a key.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { COMPONENT_FRAME, FRAME_HEADERS, pageHeaders } from '../../../src/http/dashboard/policy.ts'

const BASE = '/studio/'
const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

export interface Site {
  /** Of the app. */
  url: string
  stop(): Promise<void>
}

export async function serveStudio(options: {
  folder: string
  /** Of the server behind it. */
  server: string
  key: string
}): Promise<Site> {
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://localhost')
    if (pathname === '/studio/session') return answerSession(incoming, response)
    if (!`${pathname}/`.startsWith(BASE)) return pass(options, incoming, response)
    const file = join(options.folder, pathname.slice(BASE.length))
    const isFrame = pathname === `${BASE}${COMPONENT_FRAME}`
    const type = isFrame ? 'text/html' : TYPES[extname(file)]
    const body = type && (await readFile(file).catch(() => undefined))
    const headers = { 'content-type': type, ...(isFrame && FRAME_HEADERS) }
    if (body) response.writeHead(200, headers).end(body)
    else await answerPage(options.folder, response)
  }
  const server = createServer((incoming, response) => void answer(incoming, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE.slice(0, -1)}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((settle) => server.close(settle))
    },
  }
}

async function answerPage(folder: string, response: ServerResponse): Promise<void> {
  const nonce = randomBytes(16).toString('base64')
  const html = await readFile(join(folder, 'index.html'), 'utf8')
  response.writeHead(200, pageHeaders(nonce))
  response.end(
    html
      .replaceAll('%RUNYARD_BASE%', BASE)
      .replaceAll('%RUNYARD_MODE%', 'agent-server')
      .replaceAll('%RUNYARD_NONCE%', nonce),
  )
}

function pass(
  { server, key }: { server: string; key: string },
  incoming: IncomingMessage,
  response: ServerResponse,
): void {
  const { host: _, ...headers } = incoming.headers
  const passed = request(new URL(incoming.url ?? '/', server), {
    ...(incoming.method && { method: incoming.method }),
    headers: { ...headers, 'x-api-key': key },
    // A kept connection may be one that the server has just closed.
    agent: false,
  })
  passed.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  passed.on('error', () => response.destroy())
  response.on('close', () => passed.destroy())
  incoming.pipe(passed)
}

/** Somebody who may do everything has signed in. */
function answerSession(incoming: IncomingMessage, response: ServerResponse): void {
  if (incoming.method === 'DELETE') return void response.writeHead(204).end()
  const session = {
    id: '00000000-0000-4000-8000-000000000001',
    user_id: '00000000-0000-4000-8000-000000000002',
    name: 'developer',
    kind: 'api_key',
    role: 'admin',
    workspace_id: '00000000-0000-4000-8000-000000000001',
    is_operator: true,
    workspaces: [],
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(session))
}
