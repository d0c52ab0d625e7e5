import { expect, test } from 'vitest'
import { startAgentServer } from '../../../test/support/agent/agent-server.ts'

test('a thread that is kept for a second is gone within some, long before the next sweep', async () => {
  const server = await startAgentServer()
  const { threads } = server.client
  const brief = await threads.create({ ttl: 0.01 })
  const lasting = await threads.create({ ttl: 60 })
  const isThere = async (thread_id: string) =>
    (await fetch(`${server.url}/threads/${thread_id}`)).status
  await expect.poll(() => isThere(brief.thread_id), { timeout: 20_000, interval: 100 }).toBe(404)
  expect(await isThere(lasting.thread_id)).toBe(200)
  await server.stop()
}, 30_000)
