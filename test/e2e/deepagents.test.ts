/**
 * The packages `deepagents`, with a scripted model, over the thread-centred protocol: their subagents are
 * told of as children of the tool call that began them. `UPDATE_GOLDEN=1` writes what they show now.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Client } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundlePath, bundleProject } from '../../src/graph/js/bundle/write.ts'
import { readProjectConfig } from '../../src/project/config.ts'
import { LANGUAGES, type Language } from '../support/agent/language.ts'
import {
  endOfRun,
  readUntil,
  SocketClient,
  send,
  subscribe,
} from '../support/agent/protocol-client.ts'
import { golden, normalized } from '../support/agent/transcript.ts'
import { installPython, NO_PYTHON } from '../support/hosts/python.ts'
import { GATEWAY, startManagedServe } from '../support/processes/managed-serve.ts'
import { run } from '../support/processes/program.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const IN_JAVASCRIPT = resolve(import.meta.dirname, '../peer/deepagents')
const IN_PYTHON = resolve(import.meta.dirname, '../peer/python-agents')
const CHANNELS = ['lifecycle', 'messages', 'tools', 'input']

/** Answers the project, and the environment that it wants. */
const INSTALLERS: Record<Language, () => Promise<{ cwd: string; env?: NodeJS.ProcessEnv }>> = {
  async javascript() {
    if (!existsSync(join(IN_JAVASCRIPT, 'node_modules/.package-lock.json'))) {
      const args = ['ci', '--ignore-scripts', '--loglevel=error']
      await run('npm', args, { cwd: IN_JAVASCRIPT })
    }
    return { cwd: IN_JAVASCRIPT }
  },
  async python() {
    const python = await installPython(join(IN_PYTHON, 'requirements.txt'))
    return { cwd: IN_PYTHON, env: { VIRTUAL_ENV: dirname(dirname(python)) } }
  },
}

describe.each(LANGUAGES)('in %s', (language) => {
  const missing = language === 'python' ? NO_PYTHON : undefined
  let server: ServeProcess
  const dataDir = temporaryFolder()

  beforeAll(async () => {
    if (missing) return
    const { cwd, env } = await INSTALLERS[language]()
    const command = resolve(import.meta.dirname, '../../bin/runyard')
    const args = [command, 'serve', '--port', '0', '--data-dir', dataDir]
    server = await startServeProcess(process.execPath, args, {
      cwd,
      env: { RUNYARD_LOG_LEVEL: 'error', GATE: gate(), ...env },
    })
  }, 600_000)
  /** The tools of both subagents wait for this file. */
  const gate = () => join(dataDir, 'gate')
  afterAll(async () => {
    if (missing) return
    await server.stop()
  })

  const skipped = missing ? ` (skipped: ${missing})` : ''
  it.skipIf(missing)(`shows a deep agent, its subagent and what each says${skipped}`, async () => {
    const { url } = server
    const thread_id = randomUUID()
    const socket = new SocketClient(url, thread_id)
    await socket.send('subscription.subscribe', { channels: CHANNELS })
    const input = { messages: [{ role: 'human', content: 'How is Bern?', id: 'question' }] }
    await send(url, thread_id, 'run.start', { assistant_id: 'deep', input })
    const events = await readUntil(
      await subscribe(url, thread_id, { channels: CHANNELS }),
      endOfRun(1),
    )
    await socket.event(endOfRun(1))
    expect(socket.heard.slice(1)).toEqual(events)
    const lines = events.map(({ method, params: { timestamp, ...params } }) =>
      JSON.stringify({ method, params }),
    )
    const transcript = `${normalized(lines.join('\n'))}\n`
    expect(transcript).toBe(golden('protocol-deepagents', transcript, language))
    expect(events).toContainEqual(
      expect.objectContaining({
        method: 'lifecycle',
        params: expect.objectContaining({
          data: expect.objectContaining({ cause: { type: 'toolCall', tool_call_id: 'call-1' } }),
        }),
      }),
    )
    socket.close()
  })

  it.skipIf(missing)(
    `gives each of two subagents at work its own messages and tool calls${skipped}`,
    async () => {
      const client = new Client({ apiUrl: server.url, apiKey: null })
      const thread = client.threads.stream(randomUUID(), { assistantId: 'pair' })
      const seen: Record<string, { tools: Set<string>; texts: string[] }> = {}
      const reading = new Set<string>()
      const watched = each(thread.subagents, (subagent) => {
        const own = { tools: new Set<string>(), texts: [] as string[] }
        seen[subagent.name] = own
        return Promise.all([
          each(subagent.toolCalls, (call) => void own.tools.add(call.name)),
          each(subagent.messages, async (message) => {
            // The run goes on when the client reads both subagents: it must not end before that.
            reading.add(subagent.name)
            if (reading.size === 2) writeFileSync(gate(), '')
            const text = String(await message.text)
            if (text !== '') own.texts.push(text)
          }),
        ])
      })
      const messages = [{ role: 'user', content: 'hi' }]
      await thread.run.start({ input: { messages } })
      await thread.output
      await thread.close()
      await watched
      expect(seen).toEqual({
        north: { tools: new Set(['north_tool']), texts: ['answer of north'] },
        south: { tools: new Set(['south_tool']), texts: ['answer of south'] },
      })
    },
  )

  it.skipIf(missing).each([
    ['of the wrong number', []],
    ['that are not allowed', [{ type: 'edit' }]],
  ])(`refuses decisions %s, and takes right ones afterwards${skipped}`, async (_what, wrong) => {
    const client = new Client({ apiUrl: server.url, apiKey: null })
    const { thread_id } = await client.threads.create()
    const input = { messages: [{ role: 'user', content: 'How is Bern?' }] }
    await client.runs.wait(thread_id, 'asking', { input })
    const { interrupts } = await client.threads.get(thread_id)
    const decide = (decisions: object[]) =>
      client.runs.wait(thread_id, 'asking', {
        command: { resume: { decisions } },
        raiseError: false,
      })
    for (const _ of [1, 2]) {
      expect(await decide(wrong)).toMatchObject({
        __error__: { message: expect.stringMatching(/decision/i) },
      })
      expect(await client.threads.get(thread_id)).toMatchObject({
        ...{ status: 'interrupted', interrupts },
      })
    }
    expect(await decide([{ type: 'approve' }])).toMatchObject({
      messages: [{}, {}, { content: 'sunny in Bern' }, { type: 'ai' }],
    })
    expect((await client.threads.get(thread_id)).status).toBe('idle')
  })
})

/** Settles when each of the items was used; `close` cuts off those that have no end. */
async function each<T>(items: AsyncIterable<T>, use: (item: T) => unknown): Promise<void> {
  const used: Promise<unknown>[] = []
  const all = (async () => {
    for await (const item of items) used.push(Promise.resolve(use(item)))
  })()
  await Promise.allSettled([all])
  await Promise.allSettled(used)
}

it('is bundled whole, and answers out of the bundle what it answers from its files', async () => {
  const { cwd } = await INSTALLERS.javascript()
  const configPath = join(cwd, 'langgraph.json')
  const made = await bundleProject(await readProjectConfig(configPath))
  expect(made).toMatchObject({ external: [], file: expect.any(String) })
  const bundled = await talk(configPath, bundlePath(configPath))
  expect(bundled.at(-1)).toContain('ai: ')
  expect(bundled).toEqual(await talk(configPath))
}, 600_000)

interface Message {
  type: string
  content: unknown
}

/** What each message of a run is, by its type and its text. */
async function talk(configPath: string, bundle?: string): Promise<string[]> {
  const dataDir = temporaryFolder()
  const started = await startManagedServe({
    ...{ configPath, dataDir },
    ...(bundle !== undefined && { bundlePath: bundle }),
  })
  try {
    const input = { messages: [{ role: 'human', content: 'How is Bern?', id: 'question' }] }
    const response = await fetch(`${started.url}/runs/wait`, {
      method: 'POST',
      headers: { ...GATEWAY, 'content-type': 'application/json' },
      body: JSON.stringify({ assistant_id: 'deep', input }),
    })
    const { messages } = (await response.json()) as { messages: Message[] }
    expect(started.output()).not.toContain('The bundle could not be used')
    return messages.map(({ type, content }) => `${type}: ${JSON.stringify(content)}`)
  } finally {
    started.process.kill('SIGKILL')
  }
}
