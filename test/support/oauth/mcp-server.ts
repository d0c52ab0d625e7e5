/** The metadata of an MCP server that asks for tokens, on a free port of this machine. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ProtectedServer {
  /** `http://127.0.0.1:PORT/mcp` */
  url: string
  /** What it answers by path; a change counts from the next request on. */
  readonly documents: Map<string, unknown>
  /** With which it answers for all else; 404 at first. */
  absentStatus: number
  /** What it answers with 401 to who comes without a token; absent: it does not know such requests. */
  challenge: string | undefined
  stop(): Promise<void>
}

/** Names `issuer` as its authorization server. */
export async function startProtectedServer(issuer: string): Promise<ProtectedServer> {
  const documents = new Map<string, unknown>()
  const server = createServer((request, response) => {
    if (request.method === 'POST' && protectedServer.challenge !== undefined) {
      response.writeHead(401, { 'www-authenticate': protectedServer.challenge }).end()
      return
    }
    const document = documents.get(request.url ?? '')
    response.writeHead(document ? 200 : protectedServer.absentStatus, {
      'content-type': 'application/json',
    })
    response.end(JSON.stringify(document ?? {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const metadata = { resource: url, authorization_servers: [issuer] }
  documents.set('/.well-known/oauth-protected-resource/mcp', metadata)
  const protectedServer: ProtectedServer = {
    url,
    documents,
    absentStatus: 404,
    challenge: undefined,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return protectedServer
}
