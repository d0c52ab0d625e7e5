/** A deployment runs on the Node that its project asks for. */
import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createGitRepository, type GitRepository } from '../support/control-plane/git-repository.ts'
import { startRunyard, type TestRunyard } from '../support/processes/runyard.ts'

const EXAMPLE = resolve(import.meta.dirname, '../../examples/agent')
const ROLLOUT_MS = 180_000
/** Its answer is the version that it runs on. */
const GRAPH = `
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph'
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('respond', () => ({ messages: [{ role: 'ai', content: process.version }] }))
  .addEdge('__start__', 'respond')
  .addEdge('respond', '__end__')
  .compile()
`

let runyard: TestRunyard
let repository: GitRepository
beforeAll(async () => {
  runyard = await startRunyard()
  repository = createGitRepository(EXAMPLE)
  repository.commit('src/agent.ts', GRAPH)
})
afterAll(async () => {
  await runyard.stop()
  repository.remove()
})

/** Rolls a revision out with this `node_version` and answers how that ended. */
async function rollOut(node_version: string, path: string, method: string, body: object) {
  const config = { node_version, graphs: { agent: './src/agent.ts:graph' } }
  repository.commit('langgraph.json', JSON.stringify(config))
  const answer = await runyard.call(method, path, body)
  expect(answer).toMatchObject({ body: { latest_revision_id: expect.any(String) } })
  const { id, latest_revision_id } = answer.body as {
    id: string
    latest_revision_id: string
  }
  const revision = `/v2/deployments/${id}/revisions/${latest_revision_id}`
  const read = async () =>
    (await runyard.call('GET', revision)).body as { status: string; status_message: string }
  await expect
    .poll(async () => (await read()).status, { timeout: ROLLOUT_MS, interval: 100 })
    .toMatch(/DEPLOYED|FAILED/)
  return { ...(await read()), id }
}

async function ask(): Promise<string | undefined> {
  const input = { messages: [{ role: 'user', content: 'which?' }] }
  const request = { assistant_id: 'agent', input }
  const { body } = await runyard.call('POST', '/agents/noded/runs/wait', request)
  return (body as { messages: { content: string }[] }).messages.at(-1)?.content
}

it.runIf(process.platform === 'linux')(
  'is another one than Runyard’s own, then its own, and no other by mistake',
  async () => {
    const source_revision_config = { repo_ref: 'main', langgraph_config_path: 'langgraph.json' }
    const created = await rollOut('22', '/v2/deployments', 'POST', {
      name: 'noded',
      source: 'github',
      source_config: { repo_url: repository.url },
      source_revision_config,
      secrets: [],
    })
    expect(created).toMatchObject({ status: 'DEPLOYED', status_message: null })
    expect(await ask()).toMatch(/^v22\./)

    const path = `/v2/deployments/${created.id}`
    const own = await rollOut('20', path, 'PATCH', { source_revision_config })
    expect(own).toMatchObject({ status: 'DEPLOYED' })
    expect(await ask()).toBe(process.version)

    const failed = await rollOut('18', path, 'PATCH', { source_revision_config })
    expect(failed.status).toBe('BUILD_FAILED')
    expect(failed.status_message).toMatch(/^configuration: .*"22", "24" or "26"/)
    expect(await ask()).toBe(process.version)
  },
  3 * ROLLOUT_MS,
)
