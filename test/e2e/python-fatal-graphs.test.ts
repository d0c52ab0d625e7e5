/** A Python node that takes its host's process down ends its own run at last, and nobody else's; the server lives. */
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Client } from '@langchain/langgraph-sdk'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { clientOf, fixtureProject } from '../support/agent/agent-server.ts'
import { activateHostPython, NO_PYTHON } from '../support/hosts/python.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const command = resolve(import.meta.dirname, '../../bin/runyard')

let dataDir: string
let serving: ServeProcess | undefined
let client: Client
let log: string

async function start(cwd: string, env: Record<string, string> = {}): Promise<string> {
  const args = [command, 'serve', '--port', '0', '--data-dir', dataDir]
  serving = await startServeProcess(process.execPath, args, { cwd, env })
  serving.process.stderr?.on('data', (chunk) => {
    log += chunk
  })
  client = clientOf(serving.url)
  return serving.url
}

async function begin(act: string, more: { ms?: number; until?: string } = {}) {
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, 'fatal', { input: { act, ...more } })
  return { run_id, thread_id }
}

async function endOf({ run_id, thread_id }: { run_id: string; thread_id: string }) {
  await client.runs.join(thread_id, run_id).catch(() => {})
  const run = await client.runs.get(thread_id, run_id)
  const { error } = await client.threads.get(thread_id)
  return { ...(run as typeof run & { attempt: number }), error: error as unknown }
}

describe.skipIf(NO_PYTHON)('a graph in Python', () => {
  beforeAll(() => activateHostPython())

  beforeEach(() => {
    dataDir = temporaryFolder()
    log = ''
  })

  afterEach(async () => {
    await serving?.stop()
    serving = undefined
  })

  test.each(['segfault', 'kill'])(
    'that kills its process by "%s" ends in error as the last alone, and those beside it do not',
    async (act) => {
      await start(fixtureProject('fatal', 'python'))
      const innocents = [await begin('wait', { ms: 1_500 }), await begin('wait', { ms: 1_500 })]
      const guilty = await begin(act)
      expect(await endOf(guilty)).toMatchObject({
        status: 'error',
        attempt: 3,
        error: expect.stringMatching(/RunAttemptsExhausted: .*3 times.*no other run executed/),
      })
      for (const innocent of innocents) {
        expect(await endOf(innocent)).toMatchObject({ status: 'success' })
      }
      expect(await endOf(await begin('wait'))).toMatchObject({ status: 'success', attempt: 1 })
      expect(serving?.process.exitCode).toBeNull()
    },
    300_000,
  )

  test('that calls sys.exit ends its own run, at once', async () => {
    await start(fixtureProject('fatal', 'python'))
    const innocent = await begin('wait', { ms: 1_000 })
    expect(await endOf(await begin('sysExit'))).toMatchObject({ status: 'error', attempt: 1 })
    expect(await endOf(innocent)).toMatchObject({ status: 'success', attempt: 1 })
  })

  test('that blocks its event loop is told of, and keeps nobody from another process', async () => {
    await start(fixtureProject('fatal', 'python'), { RUNYARD_PYTHON_PROCESSES: '2' })
    const until = join(dataDir, 'go-on')
    const blocking = await begin('block', { until })
    const line = /^.*the event loop of the Python host is blocked.*\n/m
    await expect.poll(() => log).toMatch(line)
    const told = JSON.parse(line.exec(log)?.[0] ?? '')
    expect(told).toMatchObject({ level: 'error', ...blocking, node: 'do' })
    expect(told.at).toContainEqual(expect.stringMatching(/fatal\/graph\.py:\d+ _block$/))
    const beside = await begin('wait')
    expect(await endOf(beside)).toMatchObject({ status: 'success', attempt: 1 })
    expect(await client.threads.getHistory(beside.thread_id)).toHaveLength(3)
    const { status } = await client.runs.get(blocking.thread_id, blocking.run_id)
    expect(status).toBe('running')
    await writeFile(until, '')
    expect(await endOf(blocking)).toMatchObject({ status: 'success', attempt: 1 })
  })

  test('whose factory blocks for longer than anybody waits for is made once, and its run goes on', async () => {
    await start(fixtureProject('fatal', 'python'))
    const until = join(dataDir, 'go-on')
    const { thread_id } = await client.threads.create()
    const { run_id } = await client.runs.create(thread_id, 'slow', {
      input: { act: 'wait' },
      config: { configurable: { until } },
    })
    await expect.poll(() => log).toContain('host is blocked')
    await expect(client.threads.getState(thread_id)).rejects.toMatchObject({ status: 503 })
    await writeFile(until, '')
    expect(await endOf({ run_id, thread_id })).toMatchObject({ status: 'success', attempt: 1 })
  })

  test('goes beside one in TypeScript, with an auth in Python for both', async () => {
    const root = join(dataDir, 'mixed')
    await writeMixed(root)
    const url = await start(root)
    const info = await (await fetch(`${url}/info`)).json()
    expect(info).toMatchObject({
      langgraph_js_version: expect.stringMatching(/^1\./),
      langgraph_py_version: expect.stringMatching(/^1\./),
      context: 'js',
    })
    expect((await fetch(`${url}/assistants/search`, { method: 'POST' })).status).toBe(401)
    client = clientOf(url, 'the-key')
    const assistants = await client.assistants.search()
    expect(assistants.map(({ graph_id }) => graph_id).toSorted()).toEqual(['js', 'py'])
    for (const graph_id of ['js', 'py']) {
      const values = await client.runs.wait(null, graph_id, { input: { text: 'by' } })
      expect(values).toEqual({ text: `by ${graph_id}` })
    }
  })
})

async function writeMixed(root: string): Promise<void> {
  const { mkdir, symlink } = await import('node:fs/promises')
  await mkdir(root)
  const modules = resolve(import.meta.dirname, '../../node_modules')
  await symlink(modules, join(root, 'node_modules'))
  const files = {
    'langgraph.json': JSON.stringify({
      graphs: { js: './agent.mjs:graph', py: './agent.py:graph' },
      auth: { path: './auth.py:auth' },
    }),
    'agent.mjs': `
      import { Annotation, StateGraph } from '@langchain/langgraph'
      const node = ({ text }) => ({ text: text + ' js' })
      export const graph = new StateGraph(Annotation.Root({ text: Annotation() }))
        .addNode('say', node).addEdge('__start__', 'say').addEdge('say', '__end__').compile()`,
    'agent.py': `
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

class State(TypedDict):
    text: str

def say(state: State) -> State:
    return {"text": state["text"] + " py"}

graph = StateGraph(State).add_node(say).add_edge(START, "say").add_edge("say", END).compile()
`,
    'auth.py': `
from langgraph_sdk import Auth

auth = Auth()

@auth.authenticate
async def authenticate(authorization: str | None) -> str:
    if authorization != "Bearer the-key":
        raise Auth.exceptions.HTTPException(status_code=401, detail="no")
    return "someone"
`,
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text)
}
