import { beforeEach, expect, test } from 'vitest'
import { describeBroken } from '../../../src/core/agent/parked-threads.ts'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let dataDir: string
beforeEach(() => {
  dataDir = temporaryFolder()
})

test('a new version of a project knows which parked threads it cannot go on with', async () => {
  const old = await startAgentServer({ dataDir, projectName: 'parked-old' })
  const park = async (graph: string, where: string) => {
    const { thread_id } = await old.client.threads.create()
    await old.client.runs.wait(thread_id, graph, { input: { where } })
    return thread_id
  }
  const review = await park('approve', 'review')
  await park('approve', 'ask')
  const gone = await park('gone', 'ask')
  expect(await old.checkParkedThreads()).toMatchObject({ parked: 3, broken: 0, threads: [] })
  await old.client.threads.create()
  await old.stop()

  const next = await startAgentServer({ dataDir, projectName: 'parked-new', isStandby: true })
  const verdict = await next.checkParkedThreads()
  await next.stop()
  const none = { missing_nodes: [], missing_keys: [] }
  expect(verdict).toMatchObject({ parked: 3, broken: 2 })
  expect(verdict.threads).toHaveLength(2)
  expect(verdict.threads).toEqual(
    expect.arrayContaining([
      {
        thread_id: review,
        status: 'interrupted',
        graph_id: 'approve',
        is_graph_missing: false,
        missing_nodes: ['review'],
        missing_keys: ['draft'],
      },
      {
        thread_id: gone,
        status: 'interrupted',
        graph_id: 'gone',
        is_graph_missing: true,
        ...none,
      },
    ]),
  )
  expect(describeBroken(verdict)).toContain('node review of approve')
})
