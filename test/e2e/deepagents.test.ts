/**
 * The package `deepagents`, with a scripted model, over the thread-centred protocol: its subagents are
 * told of as children of the tool call that began them. `UPDATE_GOLDEN=1` writes what it shows now.
 */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/agent-server.ts'
import { endOfRun, readUntil, SocketClient, send, subscribe } from '../support/protocol-client.ts'
import { type ServeProcess, startServeProcess } from '../support/serve-process.ts'
import { golden, normalized } from '../support/transcript.ts'

const PEER = resolve(import.meta.dirname, '../peer/deepagents')
const CHANNELS = ['lifecycle', 'messages', 'tools', 'input']

let server: ServeProcess
let dataDir: string
beforeAll(async () => {
  if (!existsSync(join(PEER, 'node_modules/deepagents'))) {
    const args = ['ci', '--ignore-scripts', '--loglevel=error']
    execFileSync('npm', args, { cwd: PEER, stdio: 'inherit' })
  }
  const command = resolve(import.meta.dirname, '../../bin/runyard')
  dataDir = await temporaryFolder()
  const args = [command, 'serve', '--port', '0', '--data-dir', dataDir]
  const env = { RUNYARD_LOG_LEVEL: 'error' }
  server = await startServeProcess(process.execPath, args, { cwd: PEER, env })
}, 300_000)
afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

it('shows a deep agent, its subagent and what each says', async () => {
  const { url } = server
  const thread_id = randomUUID()
  const socket = new SocketClient(url, thread_id)
  await socket.send('subscription.subscribe', { channels: CHANNELS })
  const input = { messages: [{ role: 'human', content: 'How is Bern?', id: 'question' }] }
  await send(url, thread_id, 'run.start', { assistant_id: 'deep', input })
  const events = await readUntil(
    await subscribe(url, thread_id, { channels: CHANNELS }),
    endOfRun(1),
  )
  await socket.event(endOfRun(1))
  expect(socket.heard.slice(1)).toEqual(events)
  const lines = events.map(({ method, params: { timestamp, ...params } }) =>
    JSON.stringify({ method, params }),
  )
  const transcript = `${normalized(lines.join('\n'))}\n`
  expect(transcript).toBe(golden('protocol-deepagents', transcript))
  expect(events).toContainEqual(
    expect.objectContaining({
      method: 'lifecycle',
      params: expect.objectContaining({
        data: expect.objectContaining({ cause: { type: 'toolCall', tool_call_id: 'call-1' } }),
      }),
    }),
  )
  socket.close()
}, 120_000)
