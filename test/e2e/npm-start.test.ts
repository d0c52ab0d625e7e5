/** `npm start` from a fresh clone: interrupted, started, stopped, started again, killed. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Clone, makeClone } from '../support/processes/clone.ts'
import { npmStart } from '../support/processes/npm-start.ts'
import { endProcessesIn, type ProcessInfo, processesIn } from '../support/processes/processes.ts'

const INSTALL_MS = 480_000
const isLinux = process.platform === 'linux'

let clone: Clone
beforeAll(() => {
  clone = makeClone()
})
afterAll(async () => {
  await endProcessesIn(clone.folder)
  clone.remove()
})

const env = { RUNYARD_PORT: '0', RUNYARD_LOG_LEVEL: 'error' }
const left = () => processesIn(clone.folder)
/** A hash alone: everything is installed. */
const stamp = () => readFileSync(join(clone.folder, 'node_modules/.runyard-installed'), 'utf8')

/** One after the other: each goes on with the clone that the one before left behind. */
describe.runIf(isLinux)('npm start (left-over processes are read from /proc)', () => {
  it('leaves nothing behind when it is stopped during the install', {
    timeout: INSTALL_MS,
  }, async () => {
    const start = npmStart(clone.folder, env)
    await start.until('installing dependencies')
    await expect.poll(() => left().some(({ command }) => command.includes('npm ci'))).toBe(true)
    start.process.kill('SIGTERM')
    await start.ended
    await expect.poll(left).toEqual([])
  })

  it('leaves nothing behind when npm is killed during the install', {
    timeout: INSTALL_MS,
  }, async () => {
    const start = npmStart(clone.folder, env)
    await start.until('installing dependencies')
    await expect.poll(() => left().some(({ command }) => command.includes('npm ci'))).toBe(true)
    start.process.kill('SIGKILL')
    await expect.poll(left).toEqual([])
  })

  it('leaves nothing behind when Ctrl-C comes while the rest is being added', {
    timeout: INSTALL_MS,
  }, async () => {
    const start = npmStart(clone.folder, env)
    await start.until(/^ready http.*$/m)
    await expect
      .poll(() => left().some(({ command }) => command.includes('npm install')), {
        timeout: 60_000,
      })
      .toBe(true)
    process.kill(-(start.process.pid ?? 0), 'SIGINT')
    await start.ended
    await expect.poll(left).toEqual([])
    expect(existsSync(join(clone.folder, '.install.lock'))).toBe(false)
  })

  // The rest is begun anew after that, and finished.
  it('deploys the example, answers, and stops with Ctrl-C', { timeout: INSTALL_MS }, async () => {
    const start = npmStart(clone.folder, env)
    const output = await start.until(/^dashboard http.*$/m)
    expect(output).toMatch(/^ready http.*$/m)
    expect(await turns(urlIn(output))).toBe(1)
    await signsInOnce(output)
    expect(await pageAt(urlIn(output))).toContain('control-plane')
    // The packages of the API's documentation are installed beside the server.
    const docs = `${urlIn(output)}/docs/swagger-ui-bundle.js`
    await expect.poll(async () => (await fetch(docs)).status, { timeout: 300_000 }).toBe(200)
    // npm has put the files into place before it ends.
    await expect.poll(stamp, { timeout: 300_000 }).toMatch(/^\w+$/)
    expect(readFileSync(join(clone.folder, 'package-lock.json'))).toEqual(
      readFileSync(resolve(import.meta.dirname, '../../package-lock.json')),
    )
    process.kill(-(start.process.pid ?? 0), 'SIGINT')
    await start.ended
    await expect.poll(left).toEqual([])
  })

  it('finds all as it was at the second start, and stops at SIGTERM', {
    timeout: INSTALL_MS,
  }, async () => {
    const start = npmStart(clone.folder, env)
    const output = await start.until(/^ready http.*$/m)
    expect(output).not.toContain('installing dependencies')
    expect(output).not.toContain('admin key ')
    expect(await turns(urlIn(output))).toBe(2)
    // Its agent server was started from few files, which `npm start` has made.
    expect(
      left()
        .map(({ command }) => command)
        .join('\n'),
    ).toContain('dist/server/agent-program.js')
    start.process.kill('SIGTERM')
    await start.ended
    await expect.poll(left).toEqual([])
  })

  it.each([
    ['npm', ({ command }: ProcessInfo) => command.startsWith('npm start')],
    ['Runyard itself', ({ command }: ProcessInfo) => command.includes('runyard up')],
  ])('leaves no orphan when %s is killed', { timeout: INSTALL_MS }, async (_, isVictim) => {
    const start = npmStart(clone.folder, env)
    await start.until(/^ready http.*$/m)
    const victim = left().find(isVictim) ?? expect.fail('it runs')
    process.kill(victim.pid, 'SIGKILL')
    await expect.poll(left).toEqual([])
  })
})

function urlIn(output: string): string {
  return /^ready (\S+)$/m.exec(output)?.[1] ?? ''
}

/** The link that was printed is good for one browser. */
async function signsInOnce(output: string): Promise<void> {
  const link = new URL(/^dashboard (\S+)$/m.exec(output)?.[1] ?? '')
  const code = new URLSearchParams(link.hash.slice(1)).get('code')
  const signIn = () =>
    fetch(`${link.origin}/v2/session`, { method: 'POST', body: JSON.stringify({ code }) })
  const opened = await signIn()
  expect([opened.status, await opened.json()]).toMatchObject([201, { name: 'admin' }])
  expect((await signIn()).status).toBe(401)
}

async function pageAt(url: string): Promise<string> {
  return (await fetch(url, { headers: { accept: 'text/html' } })).text()
}

/** Says something on one and the same thread; answers how often that was done so far. */
async function turns(url: string): Promise<number> {
  const key = readFileSync(join(clone.folder, '.runyard/admin.key'), 'utf8').trim()
  const thread = '11111111-2222-4333-8444-555555555555'
  const response = await fetch(`${url}/agents/example/threads/${thread}/runs/wait`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      assistant_id: 'agent',
      if_not_exists: 'create',
      input: { messages: [{ role: 'user', content: 'Hello' }] },
    }),
  })
  const { messages } = (await response.json()) as { messages: { type: string }[] }
  return messages.filter(({ type }) => type === 'human').length
}
