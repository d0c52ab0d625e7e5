/** What the official Python clients see of a server: the SDK, RemoteGraph, and the A2A client. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningAgentServer, startAgentServer } from '../support/agent-server.ts'
import { installPython, NO_PYTHON, runPython } from '../support/python.ts'

const skipped = NO_PYTHON ? ` (skipped: ${NO_PYTHON})` : ''

describe.skipIf(NO_PYTHON)(`the Python clients${skipped}`, () => {
  let server: RunningAgentServer
  let python: string

  beforeAll(async () => {
    server = await startAgentServer()
    python = await installPython()
  }, 300_000)
  afterAll(() => server?.stop())

  test.each(['sse', 'websocket'])(
    'see messages, tool calls, subgraphs and questions of the root graph over %s',
    async (transport) => {
      const said = ['Let me look. ', 'It is sunny in Bern.']
      const answered = expect.objectContaining({ content: 'sunny in Bern', tool_call_id: 'call-1' })
      expect(await runPython(python, 'thread_stream.py', [server.url, transport])).toEqual({
        messages: said,
        values_beside_messages: { values: expect.any(Number), messages: 2, tool_calls: 1 },
        tool_calls: [['weather', '{"city":"Bern"}', answered]],
        subgraphs: ['child'],
        // A node that calls a model or a tool is no subgraph.
        nodes: [],
        answer: 'this one',
        remote: said,
      })
    },
    120_000,
  )

  test('find an assistant by its card, give it a task and list it among all', async () => {
    expect(await runPython(python, 'a2a_tasks.py', [server.url, 'agent'])).toEqual({
      versions: ['1.0', '0.3'],
      states: ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED'],
      listed: ['TASK_STATE_COMPLETED'],
    })
  }, 120_000)
})
