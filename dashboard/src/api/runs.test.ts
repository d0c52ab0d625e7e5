import { afterEach, expect, test, vi } from 'vitest'
import type { AgentServer } from './agent-server.tsx'
import { searchRuns } from './runs.ts'

afterEach(() => vi.unstubAllGlobals())

test('runs are found on a server that refuses the search for threads', async () => {
  const found = [{ run_id: 'a', thread_id: 'b', status: 'success', ended_at: 1 }]
  vi.stubGlobal('fetch', async (url: string) =>
    Response.json(found, { status: url.endsWith('/runs/search') ? 200 : 403 }),
  )
  const server = { url: 'http://agent.example', headers: {} } as AgentServer
  const { runs } = await searchRuns(server, { limit: 1 })
  expect(runs).toEqual([{ ...found[0], is_waiting: false }])
})
