/** The program in `docs/moving.md` that copies threads from one server to another. */
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type RunningAgentServer, startAgentServer } from '../support/agent/agent-server.ts'
import { run } from '../support/processes/program.ts'
import { savedFile } from '../support/processes/tour.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = resolve(import.meta.dirname, '../..')
const say = (content: string) => ({ input: { messages: [{ role: 'user', content }] } })

let folder: string
let source: RunningAgentServer
let target: RunningAgentServer
beforeEach(async () => {
  folder = temporaryFolder()
  source = await startAgentServer()
  target = await startAgentServer()
})
afterEach(async () => {
  await source.stop()
  await target.stop()
})

it('copies the threads that are idle, with their states, and the conversations go on', async () => {
  const { threads, runs } = source.client
  const { thread_id } = await threads.create({ metadata: { who: 'ann' } })
  await runs.wait(thread_id, 'agent', say('one'))
  await runs.wait(thread_id, 'agent', say('two'))
  const asking = await threads.create()
  await runs.wait(asking.thread_id, 'ask', { input: { question: 'Which?' } })

  const program = join(folder, 'copy-threads.mjs')
  const text = readFileSync(join(root, 'docs/moving.md'), 'utf8')
  writeFileSync(program, savedFile(text, 'copy-threads.mjs'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const printed = await run(process.execPath, [program, source.url, target.url])
  expect(printed.trim().split('\n').toSorted()).toEqual([
    `copied: ${thread_id}`,
    `left out: ${asking.thread_id}, which is interrupted`,
  ])

  const copied = await target.client.threads.get(thread_id)
  const { values, metadata } = await threads.get(thread_id)
  expect(copied).toMatchObject({ status: 'idle', values, metadata })
  const more = await target.client.runs.wait(thread_id, 'agent', say('three'))
  const { messages } = more as { messages: { content: string }[] }
  const contents = messages.map(({ content }) => content)
  expect(contents).toEqual(['one', 'echo: one', 'two', 'echo: two', 'three', 'echo: three'])
})
