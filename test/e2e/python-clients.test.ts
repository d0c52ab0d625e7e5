/** What the official Python clients see of a server: the SDK, RemoteGraph, and those of A2A and MCP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningAgentServer, startAgentServer } from '../support/agent/agent-server.ts'
import { inLanguage, LANGUAGES } from '../support/agent/language.ts'
import { activateHostPython, installPython, NO_PYTHON, runPython } from '../support/hosts/python.ts'

/** Longer than a script may take. */
const LIMIT_MS = 300_000
const skipped = NO_PYTHON ? ` (skipped: ${NO_PYTHON})` : ''

describe.skipIf(NO_PYTHON).each(LANGUAGES)(
  `the Python clients, of graphs in %s${skipped}`,
  (language) => {
    const opened = inLanguage(language, 'drawings', {
      javascript: 'child',
      python: 'child:inner',
    })
    let server: RunningAgentServer
    let python: string

    beforeAll(async () => {
      python = await installPython()
      if (language === 'python') await activateHostPython()
      server = await startAgentServer({ language })
    }, 300_000)
    afterAll(() => server?.stop())

    test.each(['sse', 'websocket'])(
      'see messages, tool calls, subgraphs and questions of the root graph over %s',
      async (transport) => {
        const said = ['Let me look. ', 'It is sunny in Bern.']
        const input = inLanguage<unknown>(language, 'tools', {
          javascript: '{"city":"Bern"}',
          python: { city: 'Bern' },
        })
        const answered = expect.objectContaining({
          content: 'sunny in Bern',
          tool_call_id: 'call-1',
        })
        expect(await runPython(python, 'thread_stream.py', [server.url, transport])).toEqual({
          messages: said,
          values_beside_messages: { values: expect.any(Number), messages: 2, tool_calls: 1 },
          tool_calls: [['weather', input, answered]],
          subgraphs: ['child'],
          // A node that calls a model or a tool is no subgraph.
          nodes: [],
          answer: 'this one',
          remote: said,
        })
      },
      LIMIT_MS,
    )

    test.each(['async', 'sync'])(
      'have their say by every method of the SDK, %s',
      async (kind) => {
        expect(await runPython(python, 'sdk_methods.py', [server.url, kind])).toEqual({
          assistants: {
            versions: [2, 1],
            name: ['of the tour', 'of the tour'],
            found: [true],
            count: 1,
            nodes: ['__end__', '__start__', 'after', 'before', opened],
            steps: { type: 'string' },
            subgraphs: ['child'],
          },
          runs: {
            custom: [1, 2],
            waited: ['a:1', 'a:2', 'b:1', 'b:2'],
            joined: ['c:1', 'c:2'],
            status: 'success',
            listed: 3,
          },
          cancelled: { statuses: Array(3).fill('interrupted'), batch: 2, left: 5 },
          states: {
            next: ['ask'],
            asked: { question: 'why?' },
            answered: 'so',
            changed: true,
            history: 5,
          },
          threads: {
            found: 2,
            count: 1,
            copied: 'no',
            status: 'idle',
            pruned: 1,
            left: 1,
            output: 'A',
          },
          crons: { found: 1, count: 1, schedule: '0 0 2 1 *' },
          store: { value: { n: 1 }, found: ['k'], namespaces: [['tour', kind]] },
          'not called': [],
        })
      },
      LIMIT_MS,
    )

    test(
      'work with a graph of the server as with one of their own',
      async () => {
        const nodes = ['__end__', '__start__', 'after', 'before']
        expect(await runPython(python, 'remote_graph.py', [server.url])).toEqual({
          sync: {
            values: ['a:1'],
            modes: ['custom', 'updates'],
            next: [],
            state: ['a:1', 'a:1'],
            changed: 'changed',
            history: 9,
            failure: true,
            nodes: [...nodes, opened],
            edges: 4,
          },
          async: {
            question: { question: 'why?' },
            asks: ['ask'],
            answer: 'because',
            namespaces: [[], ['child'], [], []],
            changed: 'no',
            nodes: [...nodes, 'child'],
            local: 'echo: hi',
          },
        })
      },
      LIMIT_MS,
    )

    test(
      'find an assistant by its card, give it a task and list it among all',
      async () => {
        expect(await runPython(python, 'a2a_tasks.py', [server.url, 'agent'])).toEqual({
          versions: ['1.0', '0.3'],
          states: ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED'],
          listed: ['TASK_STATE_COMPLETED'],
        })
      },
      LIMIT_MS,
    )

    test.each([
      ['auto', '2026-07-28'],
      ['legacy', '2025-11-25'],
    ])(
      'call an assistant as a tool (%s)',
      async (mode, version) => {
        expect(await runPython(python, 'mcp_tools.py', [server.url, 'agent', mode])).toEqual({
          version,
          takes: ['messages'],
          said: 'echo: hello',
          is_error: false,
        })
      },
      LIMIT_MS,
    )
  },
)
