/** `serve` and `dev` without keys, as web pages and other names of the machine meet them. */
import { request } from 'node:http'
import { resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fixtureProject } from '../support/agent/agent-server.ts'
import { startDevProcess } from '../support/processes/dev-process.ts'
import { startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const bin = resolve(import.meta.dirname, '../../bin/runyard')
const GRAPH = `
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'

export const agent = new StateGraph(MessagesAnnotation)
  .addNode('rest', () => ({}))
  .addEdge(START, 'rest')
  .addEdge('rest', END)
  .compile()
`
const JSON_TYPE = { 'content-type': 'application/json' }

/** Asks for a thread; answers the status, and whose pages may read the answer. */
function ask(url: string, headers: Record<string, string>): Promise<[number, string | undefined]> {
  const { promise, resolve, reject } = Promise.withResolvers<[number, string | undefined]>()
  const asked = request(`${url}/threads`, { method: 'POST', headers }, (answer) => {
    answer.destroy()
    resolve([answer.statusCode ?? 0, answer.headers['access-control-allow-origin']])
  })
  asked.on('error', reject)
  asked.end('{}')
  return promise
}

async function meetStrangers(url: string): Promise<void> {
  expect(await ask(url, JSON_TYPE)).toEqual([200, '*'])
  expect(await ask(url, { ...JSON_TYPE, origin: 'http://localhost:3000' })).toEqual([200, '*'])
  expect(await ask(url, { ...JSON_TYPE, origin: 'https://app.test' })).toEqual([200, '*'])
  expect(await ask(url, { ...JSON_TYPE, origin: 'https://evil.test' })).toEqual([403, undefined])
  expect(await ask(url, { ...JSON_TYPE, host: 'evil.test' })).toEqual([403, undefined])
  expect(await ask(url, { 'content-type': 'text/plain' })).toEqual([422, '*'])
  expect(await ask(url, {})).toEqual([422, '*'])
}

const env = { RUNYARD_ALLOWED_ORIGINS: 'https://app.test' }

test('serve answers pages and names that it knows, and with keys everyone who has one', async () => {
  const dataDir = temporaryFolder()
  const args = [bin, 'serve', '--port', '0', '--data-dir', dataDir]
  const options = { cwd: fixtureProject('echo'), env }
  const open = await startServeProcess(process.execPath, args, options)
  await meetStrangers(open.url)
  await open.stop()
  const withKeys = { ...options, env: { RUNYARD_API_KEYS: 'the-key' } }
  const keyed = await startServeProcess(process.execPath, args, withKeys)
  const headers = { 'x-api-key': 'the-key', host: 'agents.test', origin: 'https://evil.test' }
  expect(await ask(keyed.url, headers)).toEqual([200, '*'])
  await keyed.stop()
})

test('dev answers the same, and refuses by the origins of the project', async () => {
  const config = { graphs: { agent: './graph.ts:agent' } }
  const files = { 'langgraph.json': JSON.stringify(config), 'graph.ts': GRAPH }
  const dev = startDevProcess(files, { env })
  onTestFinished(async () => void (await dev.stop()))
  const url = await dev.ready
  await meetStrangers(url)
  const http = { cors: { allow_origins: ['https://app.test'] } }
  dev.write({ 'langgraph.json': JSON.stringify({ ...config, http }) })
  const refusal = (origin: string) => ask(url, { origin, 'content-length': `${2 ** 40}` })
  await expect.poll(() => refusal('https://app.test')).toEqual([413, 'https://app.test'])
  expect(await refusal('http://localhost:3000')).toEqual([413, undefined])
})
