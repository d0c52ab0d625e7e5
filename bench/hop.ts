/**
 * `node hop.ts target`: an HTTP server that answers at once. `node hop.ts gateway URL KEY`: Runyard's
 * gateway in front of it, which checks the key as `up` does. Each prints its port and serves until it is
 * killed.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ensureAdminKey } from '../src/control-plane/people/installation.ts'
import { systemClock } from '../src/core/clock.ts'
import { silentLog } from '../src/core/log.ts'
import { DEFAULT_WORKSPACE_ID } from '../src/core/people/api-key.ts'
import { Gateway } from '../src/gateway/gateway.ts'
import { createAuthenticate } from '../src/http/keys.ts'
import { createSecretBox } from '../src/storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../src/storage/control-plane/store.ts'

const ANSWER = JSON.stringify({ messages: [{ type: 'ai', content: 'Hello' }] })

const [role, url = '', key = ''] = process.argv.slice(2)
const server = role === 'target' ? target() : await gateway()
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))

function target(): Server {
  const headers = { 'content-type': 'application/json', 'content-length': ANSWER.length }
  return createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    request.resume().once('end', () => response.writeHead(200, headers).end(ANSWER))
  })
}

async function gateway(): Promise<Server> {
  const { apiKeys } = await openControlPlaneStore(':memory:', createSecretBox(randomBytes(32)))
  await ensureAdminKey(apiKeys, key, systemClock)
  const authenticate = createAuthenticate({ apiKeys, clock: systemClock })
  const made = new Gateway({ authenticate, fallback: 'bench', log: silentLog })
  const owner = { deployment_id: 'bench', workspace_id: DEFAULT_WORKSPACE_ID }
  made.targets.set('bench', { ...owner, revision_id: 'r', endpoints: [{ url, token: 'token' }] })
  return made.createServer()
}
