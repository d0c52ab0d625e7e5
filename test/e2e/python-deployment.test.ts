/** A project in Python from its source to an agent that answers, and from revision to revision. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Client } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGitRepository, type GitRepository } from '../support/control-plane/git-repository.ts'
import { installHostPython, NO_PYTHON, pathWithUv, uvOf } from '../support/hosts/python.ts'
import { writePythonProject } from '../support/hosts/python-project.ts'
import { run } from '../support/processes/program.ts'
import { startRunyard, type TestRunyard } from '../support/processes/runyard.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const EXAMPLE = resolve(import.meta.dirname, '../../examples/agent')
const ROLLOUT_MS = 240_000
const skipped = NO_PYTHON ? ` (skipped: ${NO_PYTHON})` : ''

interface Deployment {
  id: string
  latest_revision_id: string
}

describe.skipIf(NO_PYTHON)(`a deployment in Python${skipped}`, { timeout: ROLLOUT_MS }, () => {
  let runyard: TestRunyard
  const folder = temporaryFolder()
  let repository: GitRepository
  beforeAll(async () => {
    const uv = uvOf(await installHostPython())
    writePythonProject(folder, { answer: 'one' })
    await run(uv, ['lock', '--quiet'], { cwd: folder })
    repository = createGitRepository(folder)
    runyard = await startRunyard({ env: { PATH: await pathWithUv() } })
  }, ROLLOUT_MS)
  afterAll(async () => {
    await runyard.stop()
    repository.remove()
  })

  const source_revision_config = { repo_ref: 'main', langgraph_config_path: 'langgraph.json' }

  const create = async (name: string) => {
    const created = await runyard.call('POST', '/v2/deployments', {
      ...{ name, source: 'github', source_config: { repo_url: repository.url } },
      ...{ source_revision_config, secrets: [] },
    })
    expect(created.status).toBe(201)
    return created.body as Deployment
  }
  const renew = async ({ id }: Deployment) => {
    const path = `/v2/deployments/${id}`
    return (await runyard.call('PATCH', path, { source_revision_config })).body as Deployment
  }
  const buildLog = ({ latest_revision_id: id }: Deployment) =>
    readFileSync(join(runyard.dataDir, 'builds/revisions', id, 'build.log'), 'utf8')

  const sdk = (name: string) =>
    new Client({ apiUrl: `${runyard.url}/agents/${name}`, apiKey: runyard.adminKey })
  const say = { input: { messages: [{ role: 'user', content: 'hello' }] } }
  const answerOf = (values: unknown) =>
    (values as { messages: { content: string }[] }).messages.at(-1)?.content

  it('is built, answers the SDK, and is renewed without a request that fails', async () => {
    const first = await create('python')
    expect(await runyard.untilOver(first)).toMatchObject({
      ...{ status: 'DEPLOYED', status_message: null },
    })
    expect(buildLog(first)).toMatch(/ \+ langgraph==1\.2\.24$/m)
    const client = sdk('python')
    const { thread_id } = await client.threads.create()
    expect(answerOf(await client.runs.wait(thread_id, 'agent', say))).toBe('one')
    const names: string[] = []
    const stream = client.runs.stream(thread_id, 'agent', { ...say, streamMode: ['updates'] })
    for await (const { event } of stream) names.push(event)
    expect(names).toEqual(['metadata', 'updates'])

    const answers = new Set<string | undefined>()
    let isOver = false
    const ask = async () => {
      while (!isOver) answers.add(answerOf(await client.runs.wait(null, 'agent', say)))
    }
    const asking = [ask(), ask()]
    repository.commit('src/my_tools/__init__.py', 'ANSWER = "two"\n')
    const second = await renew(first)
    expect(await runyard.untilOver(second)).toMatchObject({ status: 'DEPLOYED' })
    await expect.poll(() => answers.has('two')).toBe(true)
    isOver = true
    await Promise.all(asking)
    expect([...answers]).toEqual(['one', 'two'])
    expect(buildLog(second)).toContain('Nothing to install: the packages of an earlier build are')
    expect(buildLog(second)).not.toMatch(/ \+ langgraph/)
    const { messages } = (await client.threads.getState(thread_id)).values as { messages: object[] }
    expect(messages).toHaveLength(4)

    repository.commit('agent.py', 'def load(:\n    return 1\n')
    const unparsed = await runyard.untilOver(await renew(second))
    expect(unparsed.status).toBe('BUILD_FAILED')
    expect(unparsed.status_message).toMatch(/^build: agent\.py:1:\d+: SyntaxError: /)

    repository.commit('agent.py', 'def load():\n    return absent\n\n\ngraph = load()\n')
    const broken = await renew(second)
    const { status, status_message } = await runyard.untilOver(broken)
    expect(status).toBe('DEPLOY_FAILED')
    expect(status_message).toMatch(
      /^start: Graph "agent": .*: NameError: name 'absent' is not defined\n.*\n {2}File "agent\.py", line 5, in/,
    )

    repository.commit('uv.lock', repository.read('uv.lock').replaceAll('1.2.24', '1.2.23'))
    const { dependencies: _, ...config } = JSON.parse(repository.read('langgraph.json'))
    repository.commit('langgraph.json', JSON.stringify({ ...config, source: { kind: 'uv' } }))
    const unlocked = await runyard.untilOver(await renew(broken))
    expect(unlocked.status).toBe('BUILD_FAILED')
    expect(unlocked.status_message).toMatch(/^install: .+ \(`uv sync [^`]*` ended with exit code/)
    expect(answerOf(await client.runs.wait(null, 'agent', say))).toBe('two')
  })

  it('runs graphs of both languages side by side', async () => {
    const both = createGitRepository(EXAMPLE)
    try {
      both.commit('agent.py', 'from langgraph.graph import MessagesState, StateGraph\n')
      writePythonProject(new URL(both.url).pathname, {
        answer: 'from Python',
        more: {
          'langgraph.json': JSON.stringify({
            graphs: { agent: './src/agent.ts:graph', python: './agent.py:graph' },
          }),
        },
      })
      both.commit('README.md', 'both\n')
      const created = await runyard.call('POST', '/v2/deployments', {
        ...{ name: 'both', source: 'github', source_config: { repo_url: both.url } },
        ...{ source_revision_config, secrets: [] },
      })
      const revision = await runyard.untilOver(created.body as Deployment)
      expect(revision, revision.status_message ?? '').toMatchObject({ status: 'DEPLOYED' })
      const client = sdk('both')
      expect(answerOf(await client.runs.wait(null, 'python', say))).toBe('from Python')
      expect(answerOf(await client.runs.wait(null, 'agent', say))).toEqual(expect.any(String))
      const found = await client.assistants.search()
      expect(found.map(({ graph_id }) => graph_id).toSorted()).toEqual(['agent', 'python'])
    } finally {
      both.remove()
    }
  })
})
