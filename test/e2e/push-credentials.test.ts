/** With which key an agent server encrypts credentials: as a driver starts it, and as it runs by itself. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import type { StartMessage } from '../../src/link/messages.ts'
import { openAgentStore } from '../../src/storage/agent/store.ts'
import { createSecretBox } from '../../src/storage/control-plane/secret-box.ts'
import { fixtureProject } from '../support/agent/agent-server.ts'
import { GATEWAY, startManagedServe } from '../support/processes/managed-serve.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const KEY = Buffer.alloc(32, 3)
const TOKEN = 'the-token'

let dataDir: string
beforeEach(() => {
  dataDir = temporaryFolder()
})

/** Starts a server, gives it a push config and stops it. The returned function reads the config with a key. */
async function giveConfig(message: Partial<StartMessage>, env: NodeJS.ProcessEnv = {}) {
  const configPath = join(fixtureProject('echo', 'javascript'), 'langgraph.json')
  const server = await startManagedServe({ configPath, dataDir, message, env })
  const ask = async (path: string, body: object) => {
    const headers = { ...GATEWAY, 'content-type': 'application/json', 'a2a-version': '1.0' }
    const how = { method: 'POST', headers, body: JSON.stringify(body) }
    // biome-ignore lint/suspicious/noExplicitAny: as the protocol has it.
    return (await (await fetch(`${server.url}${path}`, how)).json()) as any
  }
  const [{ assistant_id }] = await ask('/assistants/search', { graph_id: 'agent' })
  const taskPushNotificationConfig = { url: 'https://hooks.invalid/told', token: TOKEN }
  const said = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] }
  const params = { message: said, configuration: { taskPushNotificationConfig } }
  const call = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params }
  const { result } = await ask(`/a2a/${assistant_id}`, call)
  const ended = once(server.process, 'exit')
  server.process.kill()
  await ended
  return async (key: Buffer | undefined) => {
    const store = await openAgentStore(join(dataDir, 'agent.db'), {
      box: key && createSecretBox(key),
    })
    const [config] = await store.pushConfigs.list(result.task.id)
    await store.close()
    return config
  }
}

it('is the data key of the start message, which wins over a variable', async () => {
  const other = Buffer.alloc(32, 4).toString('base64')
  const message = { dataKey: KEY.toString('base64') }
  const read = await giveConfig(message, { RUNYARD_ENCRYPTION_KEY: other })
  expect((await read(undefined))?.config).not.toHaveProperty('token')
  expect((await read(KEY))?.config).toMatchObject({ token: TOKEN })
  expect(existsSync(join(dataDir, 'encryption.key'))).toBe(false)
})

it('is none where an older control plane gives none', async () => {
  const read = await giveConfig({})
  expect((await read(undefined))?.config).toMatchObject({ token: TOKEN })
  expect(existsSync(join(dataDir, 'encryption.key'))).toBe(false)
})

it('is the variable’s below `dev`, which gives none', async () => {
  const variables = {
    RUNYARD_DEV_HOST: '127.0.0.1',
    RUNYARD_ENCRYPTION_KEY: KEY.toString('base64'),
  }
  const read = await giveConfig({}, variables)
  expect((await read(undefined))?.config).not.toHaveProperty('token')
  expect((await read(KEY))?.config).toMatchObject({ token: TOKEN })
})
