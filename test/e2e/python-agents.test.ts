/** Agents as Python's LangChain makes them, with scripted models: `create_agent` and its relatives. */
import { dirname, join, resolve } from 'node:path'
import type { Client } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientOf } from '../support/agent/agent-server.ts'
import { collect } from '../support/agent/collect.ts'
import { installPython, NO_PYTHON } from '../support/hosts/python.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PEER = resolve(import.meta.dirname, '../peer/python-agents')
const skipped = NO_PYTHON ? ` (skipped: ${NO_PYTHON})` : ''
const input = { messages: [{ role: 'human', content: 'How is Bern?', id: 'question' }] }

interface Conversation {
  messages: { type: string; content: string; name?: string }[]
}

describe.skipIf(NO_PYTHON)(`agents of Python’s LangChain${skipped}`, () => {
  let server: ServeProcess
  let client: Client
  const dataDir = temporaryFolder()

  beforeAll(async () => {
    const python = await installPython(join(PEER, 'requirements.txt'))
    const command = resolve(import.meta.dirname, '../../bin/runyard')
    const args = [command, 'serve', '--port', '0', '--data-dir', dataDir]
    const env = { RUNYARD_LOG_LEVEL: 'error', VIRTUAL_ENV: dirname(dirname(python)) }
    server = await startServeProcess(process.execPath, args, { cwd: PEER, env })
    client = clientOf(server.url)
  }, 300_000)
  afterAll(async () => {
    await server?.stop()
  })

  const conversation = async (graph: string) => {
    const { messages } = (await client.runs.wait(null, graph, { input })) as unknown as Conversation
    return messages.map(({ type, content }) => [type, content])
  }

  it.each(['agent', 'react'])('%s calls its tool and says what it answered', async (graph) => {
    expect(await conversation(graph)).toEqual([
      ['human', 'How is Bern?'],
      ['ai', ''],
      ['tool', 'sunny in Bern'],
      ['ai', 'It is sunny in Bern.'],
    ])
  })

  it('shows what a model says word by word', async () => {
    const stream = client.runs.stream(null, 'agent', { input, streamMode: 'messages-tuple' })
    const parts = await collect(stream)
    const pieces = parts.flatMap(({ event, data }) =>
      event === 'messages' ? [(data as [{ id: string; content: string }])[0]] : [],
    )
    const said = pieces.filter(({ id }) => id === 'answer').map(({ content }) => content)
    expect(said.filter(Boolean)).toEqual(['It ', 'is ', 'sunny ', 'in ', 'Bern.'])
  })

  it('asks before it calls a tool, and goes on with the decision', async () => {
    const { thread_id } = await client.threads.create()
    await client.runs.wait(thread_id, 'asking', { input })
    const { tasks } = await client.threads.getState(thread_id)
    expect(tasks[0]?.interrupts).toMatchObject([
      { value: { action_requests: [{ name: 'weather', args: { city: 'Bern' } }] } },
    ])
    const command = { resume: { decisions: [{ type: 'approve' }] } }
    const { messages } = (await client.runs.wait(thread_id, 'asking', {
      command,
    })) as unknown as Conversation
    expect(messages.at(-1)?.content).toBe('It is sunny in Bern.')
  })

  it('hands over from a supervisor to an agent and back', async () => {
    const said = await conversation('supervisor')
    expect(said).toContainEqual(['ai', 'It is sunny in Bern.'])
    expect(said.at(-1)).toEqual(['ai', 'That is all.'])
  })

  it('tells of a deep agent’s subagent', async () => {
    expect((await conversation('deep')).at(-1)).toEqual(['ai', 'I heard: Bern is sunny.'])
  })
})
