/** LangGraph's `RunControl`: a run stops between two steps of its graph, and goes on from there. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const projectName = 'newest'
let dataDir: string
let path: string

beforeEach(() => {
  dataDir = temporaryFolder()
  path = join(dataDir, 'begun')
})

/** The numbers of the steps that were begun. */
const begun = async () => (await readFile(path, 'utf8').catch(() => '')).trim().split('\n')

interface Attempt {
  attempt: number
  outcome: string
}

async function attemptsOf(url: string, thread_id: string, run_id: string): Promise<Attempt[]> {
  const response = await fetch(`${url}/threads/${thread_id}/runs/${run_id}/timeline`)
  return ((await response.json()) as { attempts: Attempt[] }).attempts
}

test.each(['walk', 'outer'])(
  'a server that stops begins no step that another one would have to do again (%s)',
  async (graph) => {
    const old = await startAgentServer({ dataDir, projectName })
    const { thread_id } = await old.client.threads.create()
    const input = { path, count: 5, ms: 200 }
    const { run_id } = await old.client.runs.create(thread_id, graph, { input })
    await eventually(begun).toContain('1')
    await old.drain({ graceMs: 0, checkpointMs: 60_000 })
    await old.stop()
    expect((await begun()).length).toBeLessThan(5)

    const next = await startAgentServer({ dataDir, projectName })
    expect(await next.client.runs.join(thread_id, run_id)).toMatchObject({ done: 5 })
    expect(await begun()).toEqual(['1', '2', '3', '4', '5'])
    expect(await attemptsOf(next.url, thread_id, run_id)).toMatchObject([
      { attempt: 1, outcome: 'handed_over' },
      { attempt: 1, outcome: 'success' },
    ])
    await next.stop()
  },
)

test.each(['walk', 'outer'])(
  'a run whose graph asks for the stop itself goes on at once, in a new attempt that does not count (%s)',
  async (graph) => {
    const server = await startAgentServer({ dataDir, projectName })
    const { thread_id } = await server.client.threads.create()
    const input = { path, count: 3, ms: 1, drains: true }
    const { run_id } = await server.client.runs.create(thread_id, graph, { input })
    expect(await server.client.runs.join(thread_id, run_id)).toMatchObject({ done: 3 })
    expect(await begun()).toEqual(['1', '2', '3'])
    const attempts = await attemptsOf(server.url, thread_id, run_id)
    expect(attempts.slice(0, 2)).toMatchObject([
      { attempt: 1, outcome: 'handed_over' },
      { attempt: 1, outcome: 'handed_over' },
    ])
    expect(attempts.at(-1)).toMatchObject({ attempt: 1, outcome: 'success' })
    expect((await server.client.threads.get(thread_id)).status).toBe('idle')
    await server.stop()
  },
)
