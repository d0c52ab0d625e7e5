/** The line through all of it: deploy, roll out, run, stream; from git and from a tarball. */
import { resolve } from 'node:path'
import { SendMessageRequest, TaskState } from '@a2a-js/sdk'
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client'
import { Client } from '@langchain/langgraph-sdk'
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ControlPlaneClient } from '../../client/src/client.ts'
import { deployFolder } from '../../src/cli/deploy/deploy-folder.ts'
import { createGitRepository, type GitRepository } from '../support/control-plane/git-repository.ts'
import { startRunyard, type TestRunyard } from '../support/processes/runyard.ts'

const EXAMPLE = resolve(import.meta.dirname, '../../examples/agent')
const ROLLOUT_MS = 240_000

interface Deployment {
  id: string
  latest_revision_id: string
  active_revision_id: string | null
  source_config: { custom_url: string }
}

let runyard: TestRunyard
let repository: GitRepository
beforeAll(async () => {
  runyard = await startRunyard()
  repository = createGitRepository(EXAMPLE)
})
afterAll(async () => {
  await runyard.stop()
  repository.remove()
})

describe('a deployment from a git repository', { timeout: ROLLOUT_MS }, () => {
  it('is created, read, rolled out, patched, and answers the official SDK', async () => {
    const created = await runyard.call('POST', '/v2/deployments', {
      name: 'from-git',
      source: 'github',
      source_config: { repo_url: repository.url, deployment_type: 'dev', build_on_push: false },
      source_revision_config: { repo_ref: 'main', langgraph_config_path: 'langgraph.json' },
      secrets: [],
    })
    expect(created.status).toBe(201)
    const first = created.body as Deployment
    expect(first.latest_revision_id).toEqual(expect.any(String))
    expect((await runyard.call('GET', `/v2/deployments/${first.id}`)).status).toBe(200)
    expect(await runyard.untilOver(first)).toMatchObject({ status: 'DEPLOYED' })

    repository.commit('README.md', 'changed\n')
    const patched = await runyard.call('PATCH', `/v2/deployments/${first.id}`, {
      source_revision_config: { repo_ref: 'main', langgraph_config_path: 'langgraph.json' },
    })
    expect(patched.status).toBe(200)
    const second = patched.body as Deployment
    expect(second.latest_revision_id).not.toBe(first.latest_revision_id)
    expect(await runyard.untilOver(second)).toMatchObject({ status: 'DEPLOYED' })
    await clientFlow(second.source_config.custom_url)
    await otherAgentsFlow(second.source_config.custom_url)
  })
})

describe('a deployment from a tarball', { timeout: ROLLOUT_MS }, () => {
  it('is uploaded, rolled out and answers the official SDK, also after a restart', async () => {
    const client = new ControlPlaneClient({ url: runyard.url, apiKey: runyard.adminKey })
    const { signal } = new AbortController()
    const revision = await deployFolder(client, {
      folder: EXAMPLE,
      name: 'from-tarball',
      secrets: [],
      signal,
    })
    expect(revision).toMatchObject({ status: 'DEPLOYED' })
    const thread_id = await clientFlow(`${runyard.url}/agents/from-tarball`)

    const { dataDir } = runyard
    await runyard.halt()
    runyard = await startRunyard({ dataDir })
    const again = sdk(`${runyard.url}/agents/from-tarball`)
    const state = await again.threads.getState<{ messages: unknown[] }>(thread_id)
    expect(state.values.messages).toHaveLength(4)
  })
})

describe('a deployment that nobody asks for', { timeout: ROLLOUT_MS }, () => {
  it('sleeps, is woken by a request, and sleeps again, as after a restart', async () => {
    await runyard.stop()
    runyard = await startRunyard({ env: { RUNYARD_IDLE_SECS: '1' } })
    const created = await runyard.call('POST', '/v2/deployments', {
      name: 'sleeper',
      source: 'github',
      source_config: { repo_url: repository.url, resource_spec: { min_scale: 0 } },
      source_revision_config: { repo_ref: 'main', langgraph_config_path: 'langgraph.json' },
      secrets: [],
    })
    const deployment = created.body as Deployment
    expect(await runyard.untilOver(deployment)).toMatchObject({ status: 'DEPLOYED' })
    const runtime = async () =>
      (await runyard.call('GET', `/v2/deployments/${deployment.id}/runtime`)).body
    const asleep = { state: 'asleep', replicas: [], revision_id: deployment.latest_revision_id }
    const { dataDir } = runyard
    for (const isRestarted of [false, true]) {
      if (isRestarted) {
        await runyard.halt()
        runyard = await startRunyard({ dataDir, env: { RUNYARD_IDLE_SECS: '1' } })
      }
      await expect.poll(runtime, { timeout: 60_000 }).toMatchObject(asleep)
      const client = sdk(`${runyard.url}/agents/sleeper`)
      // A test that is held up for a second looks at one that sleeps again.
      const woken = async () => {
        expect(await client.threads.create()).toMatchObject({ status: 'idle' })
        return runtime()
      }
      await expect
        .poll(woken, { timeout: 60_000 })
        .toMatchObject({ state: 'serving', replicas: [{ state: 'healthy' }] })
    }
  })
})

function sdk(apiUrl: string): Client {
  return new Client({ apiUrl, apiKey: runyard.adminKey })
}

/** What a client of the brief does; answers the thread, which then holds two turns. */
async function clientFlow(apiUrl: string): Promise<string> {
  const client = sdk(apiUrl)
  const { thread_id } = await client.threads.create()
  const say = (content: string) => ({ input: { messages: [{ role: 'user', content }] } })
  await client.runs.create(thread_id, 'agent', say('first'))
  const second = await client.runs.create(thread_id, 'agent', {
    ...say('second'),
    multitaskStrategy: 'enqueue',
  })
  await client.runs.join(thread_id, second.run_id)
  const state = await client.threads.getState<{ messages: { type: string; content: string }[] }>(
    thread_id,
  )
  const { messages } = state.values
  expect(messages.map((message) => message.type)).toEqual(['human', 'ai', 'human', 'ai'])
  expect(messages[0]?.content).toBe('first')
  expect(messages[2]?.content).toBe('second')

  const streamed = client.runs.stream(null, 'agent', {
    ...say('streamed'),
    streamMode: ['updates', 'messages'],
  })
  const names: string[] = []
  for await (const part of streamed) names.push(part.event)
  expect(names[0]).toBe('metadata')
  expect(names).toContain('updates')
  expect(names).toContain('messages/partial')
  expect(names).not.toContain('error')
  return thread_id
}

/** What clients of the other protocols do, through the gateway and with its key. */
async function otherAgentsFlow(apiUrl: string): Promise<void> {
  const headers = { 'x-api-key': runyard.adminKey }
  const versionNegotiation = { mode: 'auto' } as const
  const tools = new McpClient({ name: 'test', version: '1' }, { versionNegotiation })
  const options = { requestInit: { headers } }
  await tools.connect(new StreamableHTTPClientTransport(new URL(`${apiUrl}/mcp`), options))
  const messages = [{ role: 'user', content: 'hello' }]
  const answer = await tools.callTool({ name: 'agent', arguments: { messages } })
  expect(answer.structuredContent).toMatchObject({ messages: [{ type: 'human' }, { type: 'ai' }] })
  expect(tools.getNegotiatedProtocolVersion()).toBe('2026-07-28')
  await tools.close()

  const fetchImpl: typeof fetch = (input, init) => {
    const sent = new Headers(init?.headers)
    sent.set('x-api-key', runyard.adminKey)
    return fetch(input, { ...init, headers: sent })
  }
  const card = `${apiUrl}/.well-known/agent-card.json`
  expect((await fetch(card)).status).toBe(401)
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  })
  const agent = await factory.createFromUrl(card, '')
  const { supportedInterfaces, securitySchemes } = await agent.getAgentCard()
  expect(supportedInterfaces[0]?.url).toMatch(`${apiUrl}/a2a/`)
  expect(Object.keys(securitySchemes)).toEqual(['apiKey', 'bearer'])
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] }
  const task = await agent.sendMessage(SendMessageRequest.fromJSON({ message }))
  expect(task).toMatchObject({ status: { state: TaskState.TASK_STATE_COMPLETED } })
}
