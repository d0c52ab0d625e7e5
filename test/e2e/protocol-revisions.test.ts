/** The thread-centred protocol through the gateway, with its key, while the revision changes. */
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  endOfRun,
  readUntil,
  SocketClient,
  send,
  subscribe,
  type WireEvent,
} from '../support/agent/protocol-client.ts'
import { createGitRepository, type GitRepository } from '../support/control-plane/git-repository.ts'
import { startRunyard, type TestRunyard } from '../support/processes/runyard.ts'

const SOURCE = { repo_ref: 'main', langgraph_config_path: 'langgraph.json' }
const EXAMPLE = resolve(import.meta.dirname, '../../examples/agent')

interface Deployment {
  id: string
  latest_revision_id: string
  source_config: { custom_url: string }
}

let runyard: TestRunyard
let repository: GitRepository
beforeAll(async () => {
  runyard = await startRunyard()
  repository = createGitRepository(EXAMPLE)
  const model = repository.read('src/rote-model.ts')
  repository.commit('src/rote-model.ts', waitingAfterTheFirstWord(model))
})
afterAll(async () => {
  await runyard.stop()
  repository.remove()
})

/** Answers to the path of a file wait, after their first word, until there is such a file. */
function waitingAfterTheFirstWord(model: string): string {
  return `import { existsSync } from 'node:fs'\n${model}`.replace(
    'await runManager?.handleLLMNewToken(word)',
    `$&
      const path = messages.at(-1)?.text ?? ''
      while (path.startsWith('/') && !existsSync(path)) await new Promise((go) => setTimeout(go, 20))`,
  )
}

it('shows runs of two revisions as one history, over SSE and WebSocket', {
  timeout: 300_000,
}, async () => {
  const deployment = await deploy()
  const url = deployment.source_config.custom_url
  const headers = { 'x-api-key': runyard.adminKey }
  const thread_id = randomUUID()
  const gate = join(runyard.dataDir, 'gate')
  const read = (since: number) => subscribe(url, thread_id, { since }, undefined, headers)
  const say = (text: string) => send(url, thread_id, 'run.start', runOf(text), headers)

  const socket = new SocketClient(url, thread_id, headers)
  // As the JavaScript SDK subscribes, so that messages are at their node as in the log.
  const channels = ['messages', 'lifecycle', 'input']
  const subscribed = await socket.send('subscription.subscribe', { channels })
  const { run_id } = (await say(gate)).result
  const before = await readUntil(await read(0), isWord)
  const last = await socket.event(isWord)
  socket.close()

  await redeploy(deployment)
  writeFileSync(gate, '')
  await say('hello')
  const after = await readUntil(await read(last.seq), endOfRun(2))
  const whole = await readUntil(await read(0), endOfRun(2))
  expect([...before, ...after]).toEqual(whole)
  expect(whole.map(({ seq }) => seq)).toEqual(whole.map((_, i) => i + 1))

  const again = new SocketClient(url, thread_id, headers)
  const subscriptions = [subscribed.result.subscription_id]
  const asked = { run_id, last_event_id: last.event_id, subscriptions }
  const answer = await again.send('subscription.reconnect', asked)
  expect(answer.result).toMatchObject({ restored: true })
  await again.event(endOfRun(2))
  again.close()
  const wanted = whole.filter(({ method }) => channels.includes(method))
  expect([...eventsOf(socket, last.seq), ...eventsOf(again)]).toEqual(wanted)

  expect((await new SocketClient(url, thread_id).closed()).code).toBe(1006)
  expect((await subscribe(url, thread_id)).status).toBe(401)
})

async function deploy(): Promise<Deployment> {
  const { body } = await runyard.call('POST', '/v2/deployments', {
    name: 'talker',
    source: 'github',
    source_config: { repo_url: repository.url, deployment_type: 'dev', build_on_push: false },
    source_revision_config: SOURCE,
    secrets: [],
  })
  expect(await runyard.untilOver(body as Deployment)).toMatchObject({ status: 'DEPLOYED' })
  return body as Deployment
}

async function redeploy({ id }: Deployment): Promise<void> {
  repository.commit('README.md', 'changed\n')
  const { body } = await runyard.call('PATCH', `/v2/deployments/${id}`, {
    source_revision_config: SOURCE,
  })
  expect(await runyard.untilOver(body as Deployment)).toMatchObject({ status: 'DEPLOYED' })
}

function runOf(text: string): object {
  const messages = [{ role: 'user', content: text }]
  return { assistant_id: 'agent', input: { messages }, multitask_strategy: 'enqueue' }
}

function isWord({ method, params }: WireEvent): boolean {
  return method === 'messages' && params.data.event === 'content-block-delta'
}

function eventsOf(socket: SocketClient, upTo = Number.POSITIVE_INFINITY): WireEvent[] {
  return socket.heard.flatMap((one) => ('seq' in one && one.seq <= upTo ? [one] : []))
}
