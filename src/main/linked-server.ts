/**
 * The server of an agent server that is no child of its driver. It listens before the project is loaded, so
 * that the driver can follow the load.
 */
import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { RUNTIME_PROBE_PATH } from '../core/deployment/internal-requests.ts'
import type { Log } from '../core/log.ts'
import { close, listen } from '../http/listen.ts'
import { WebSockets } from '../http/web-socket/handshakes.ts'
import type { AgentSocket } from '../link/agent-socket.ts'
import type { ServeConfig } from '../settings/config.ts'

type Answer = Parameters<AgentSocket['inFrontOf']>[0]

export interface LinkedServer {
  /** Already listening. */
  server: Server
  /** From now on `answer` handles requests; before that, and after `shut`, all get 503. */
  open(answer: Answer): void
  /** Answers 503 again: the agent server behind it has stopped. The driver stays connected. */
  shut(): void
  /** Cuts every connection. */
  stop(): Promise<void>
}

export async function startLinkedServer(
  config: Pick<ServeConfig, 'host' | 'port'>,
  { link, keepAliveMs, log }: { link: AgentSocket; keepAliveMs: number; log: Log },
): Promise<LinkedServer> {
  let behind: Answer = unavailable
  const answer = link.inFrontOf((request, env) => {
    if (new URL(request.url).pathname !== RUNTIME_PROBE_PATH) return behind(request, env)
    return behind === unavailable ? unavailable() : new Response()
  })
  const server = createServer(getRequestListener(answer, { overrideGlobalObjects: false }))
  server.keepAliveTimeout = keepAliveMs
  const webSockets = new WebSockets({ server, fetch: answer, log })
  await listen(server, config)
  return {
    server,
    open: (given) => {
      behind = given
    },
    shut: () => {
      behind = unavailable
    },
    async stop() {
      await webSockets.stop()
      await close(server)
    },
  }
}

function unavailable(): Response {
  const headers = { 'retry-after': '1' }
  return new Response('The agent server is not ready.', { status: 503, headers })
}
