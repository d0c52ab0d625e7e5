/** Webhooks of a real server that is killed in the middle, read by the verifier of the docs. */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hang, startReceiver, type WebhookReceiver } from '../support/agent/webhook-receiver.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = resolve(import.meta.dirname, '../..')
const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`

const folder = temporaryFolder()
let receiver: WebhookReceiver
let serving: ServeProcess

beforeAll(async () => {
  receiver = await startReceiver()
  serving = await start()
})
afterAll(async () => {
  await serving.stop()
  await receiver.close()
})

const start = () =>
  startServeProcess(join(root, 'bin/runyard'), ['serve', '--port', '0', '--data-dir', folder], {
    cwd: join(root, 'test/fixtures/projects/webhooks'),
    env: {
      RUNYARD_WEBHOOK_ALLOW: 'loopback',
      RUNYARD_WEBHOOK_TIMEOUT_SECS: '1',
      RUNYARD_WEBHOOK_SECRET: `${OTHER_SECRET},${SECRET}`,
      LG_WEBHOOK_TOKEN: 'from-the-environment',
    },
  })

it('a message whose server was killed while it was sent comes again, and is genuine', async () => {
  receiver.next.push(hang)
  const body = { assistant_id: 'steps', input: {}, webhook: `${receiver.url}/done` }
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const run = (await (await fetch(`${serving.url}/runs/wait`, init)).json()) as object
  expect(run).toEqual({ trail: ['a', 'b', 'c'] })
  await receiver.count(1)
  const gone = once(serving.process, 'exit')
  serving.process.kill('SIGKILL')
  await gone
  serving = await start()
  await receiver.count(2)

  const [first, second] = receiver.received
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(second?.headers.authorization).toBe('Bearer from-the-environment')
  const { isGenuine } = await verifier()
  for (const { headers, body } of receiver.received) {
    expect(isGenuine(headers, body, SECRET)).toBe(true)
    expect(isGenuine(headers, body, OTHER_SECRET)).toBe(true)
    expect(isGenuine(headers, `${body} `, SECRET)).toBe(false)
    expect(isGenuine(headers, body, `whsec_${'A'.repeat(32)}`)).toBe(false)
    expect(isGenuine(headers, body, SECRET, -1)).toBe(false)
    expect(isGenuine({ ...headers, 'webhook-timestamp': undefined }, body, SECRET)).toBe(false)
  }
})

type IsGenuine = (headers: object, body: string, secret: string, seconds?: number) => boolean

/** The verifier as the docs print it. */
async function verifier(): Promise<{ isGenuine: IsGenuine }> {
  const docs = readFileSync(join(root, 'docs/webhooks.md'), 'utf8')
  const [, code = ''] = /^```js verifier\n(.*?)^```/ms.exec(docs) ?? []
  const file = join(folder, 'verifier.mjs')
  writeFileSync(file, code)
  return import(pathToFileURL(file).href)
}
