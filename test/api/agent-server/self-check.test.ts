/** A server asks itself before it is ready, so that a fault that every request would meet ends its start. */
import { expect, test } from 'vitest'
import { noTracer } from '../../../src/core/tracing.ts'
import { startAgentServer } from '../../support/agent/agent-server.ts'

test('a server whose every answer would be a 500 does not start', async () => {
  const tracer = {
    ...noTracer,
    span: () => Promise.reject(new TypeError('the tracer of this server does not work')),
  }
  await expect(startAgentServer({ tracer })).rejects.toThrow(
    'answers its own first request with 500',
  )
})

test('the check counts for none of its callers', async () => {
  const server = await startAgentServer({ limits: { maxRequestsPerSecond: 1 } })
  expect((await fetch(`${server.members[0].url}/info`)).status).toBe(200)
  await server.stop()
})
