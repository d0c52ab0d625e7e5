/**
 * `node hop.ts target`: an HTTP server that answers at once. `node hop.ts gateway URL KEY`: Runyard's
 * gateway in front of it, which checks the key as `up` does. Each prints its port and serves until it is
 * killed.
 */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { ensureAdminKey } from '../src/control-plane/people/installation.ts'
import { systemClock } from '../src/core/clock.ts'
import { silentLog } from '../src/core/log.ts'
import { DEFAULT_WORKSPACE_ID } from '../src/core/people/api-key.ts'
import { Gateway } from '../src/gateway/gateway.ts'
import { createAuthenticate } from '../src/http/keys.ts'
import { listen } from '../src/http/listen.ts'
import { createSecretBox } from '../src/storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../src/storage/control-plane/store.ts'

const ANSWER = JSON.stringify({ messages: [{ type: 'ai', content: 'Hello' }] })

const [role, url = '', key = ''] = process.argv.slice(2)
const at = { host: '127.0.0.1', port: 0 }
console.log(new URL(await (role === 'target' ? target() : gateway())).port)

function target(): Promise<string> {
  const headers = { 'content-type': 'application/json', 'content-length': ANSWER.length }
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    request.resume().once('end', () => response.writeHead(200, headers).end(ANSWER))
  })
  return listen(server, at)
}

async function gateway(): Promise<string> {
  const { apiKeys } = await openControlPlaneStore(':memory:', createSecretBox(randomBytes(32)))
  await ensureAdminKey(apiKeys, key, systemClock)
  const authenticate = createAuthenticate({ apiKeys, clock: systemClock })
  const made = new Gateway({ authenticate, fallback: 'bench', log: silentLog })
  const owner = { deployment_id: 'bench', workspace_id: DEFAULT_WORKSPACE_ID }
  made.targets.set('bench', { ...owner, revision_id: 'r', endpoints: [{ url, token: 'token' }] })
  return made.start(at)
}
