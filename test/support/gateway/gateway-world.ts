/** A gateway on port 0, and real agent servers behind it. */
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import net, { type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Authenticate, Target } from '../../../src/core/deployment/target.ts'
import { AppError } from '../../../src/core/errors.ts'
import { silentLog } from '../../../src/core/log.ts'
import type { Certificate } from '../../../src/core/network/tls.ts'
import { DEFAULT_WORKSPACE_ID, type Principal } from '../../../src/core/people/api-key.ts'
import { keyIn } from '../../../src/core/people/sent-key.ts'
import { Gateway, type GatewayOptions } from '../../../src/gateway/gateway.ts'
import type { Certificates } from '../../../src/gateway/server/http2.ts'

export const KEY = 'key-of-default'
export const OTHER_KEY = 'key-of-other'
export const withKey = { headers: { 'x-api-key': KEY } }

const principal: Principal = {
  user_id: 'u',
  name: 'u',
  kind: 'api_key',
  workspace_id: DEFAULT_WORKSPACE_ID,
  role: 'agent',
}

export const authenticate: Authenticate = async (headers) => {
  const key = keyIn(headers)
  if (key === KEY) return principal
  if (key === OTHER_KEY) return { ...principal, workspace_id: 'another' }
  throw new AppError('unauthenticated', 'An API key is needed: send it as X-Api-Key.')
}

export interface Agent<S extends net.Server = http.Server> {
  server: S
  target: Target
  /** Ends it like kill -9: every connection breaks. */
  kill(): void
}

export interface World {
  gateway: Gateway
  /** `http://127.0.0.1:PORT`; with a certificate `https://`. */
  url: string
  port: number
  /** Starts an agent server, to which no name leads yet. */
  startAgent(revision_id: string, answer: RequestListener): Promise<Agent>
  /** Starts an agent server and serves it as `agent`. */
  serveAgent(answer: RequestListener): Promise<Agent>
  /** Serves as `agent` what writes the bytes of its answers itself. */
  serveRaw(onConnection: (socket: Socket) => void): Promise<void>
  close(): Promise<void>
}

export async function openWorld({
  certificate,
  certificates,
  ...options
}: Pick<
  GatewayOptions,
  'maxBodyBytes' | 'restartWaitMs' | 'domain' | 'hosts' | 'leader' | 'isKeyChecked' | 'onPassed'
> & {
  certificate?: Certificate
  certificates?: Certificates
} = {}): Promise<World> {
  const gateway = new Gateway({ authenticate, fallback: controlPlane, log: silentLog, ...options })
  const url = await gateway.start({ host: '127.0.0.1', port: 0, certificate, certificates })
  const agents: Pick<Agent, 'kill'>[] = []
  const startAgent = async (revision_id: string, answer: RequestListener) => {
    const agent = await createAgent(revision_id, answer)
    agents.push(agent)
    return agent
  }
  return {
    gateway,
    url,
    port: Number(new URL(url).port),
    startAgent,
    async serveAgent(answer) {
      const agent = await startAgent('revision-1', answer)
      gateway.targets.set('agent', agent.target)
      return agent
    },
    async serveRaw(onConnection) {
      const raw = await createRawAgent(onConnection)
      agents.push(raw)
      gateway.targets.set('agent', raw.target)
    },
    async close() {
      await gateway.stop()
      for (const agent of agents) agent.kill()
    },
  }
}

/** Sends bytes as they are. Answers everything that comes back until the server closes. */
export async function exchangeBytes(port: number, bytes: string | Buffer): Promise<string> {
  const socket = net.connect(port, '127.0.0.1')
  socket.write(bytes)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('latin1')
}

async function readBody(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Answers with the request as it arrived. */
export function echo(req: IncomingMessage, res: ServerResponse): void {
  readBody(req).then((body) => {
    res.setHeader('content-type', 'application/json')
    res.end(
      JSON.stringify({
        method: req.method,
        url: req.url,
        headers: req.headers,
        body: body.toString(),
      }),
    )
  }, noop)
}

function noop(): void {}

function controlPlane(req: IncomingMessage, res: ServerResponse): void {
  res.end(`control plane: ${req.url}`)
}

async function createAgent(revision_id: string, answer: RequestListener): Promise<Agent> {
  return await listenAs(http.createServer(answer), revision_id)
}

async function createRawAgent(onConnection: (socket: Socket) => void): Promise<Agent<net.Server>> {
  const server = net.createServer((socket) => {
    socket.on('error', noop)
    onConnection(socket)
  })
  return await listenAs(server, 'revision-1')
}

async function listenAs<S extends net.Server>(server: S, revision_id: string): Promise<Agent<S>> {
  const sockets = new Set<Duplex>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const port = await listen(server)
  return {
    server,
    target: {
      deployment_id: 'deployment-1',
      workspace_id: DEFAULT_WORKSPACE_ID,
      revision_id,
      endpoints: [{ url: `http://127.0.0.1:${port}`, token: `token-of-${revision_id}` }],
    },
    kill() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function listen(server: net.Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return (server.address() as AddressInfo).port
}
