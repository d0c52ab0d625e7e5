/** The commands that talk to a control plane: the real binary against a whole Runyard. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRunyard, type TestRunyard } from '../support/runyard.ts'

const RUNYARD = resolve(import.meta.dirname, '../../bin/runyard')
const EXAMPLE = resolve(import.meta.dirname, '../../examples/agent')
const ROLLOUT_MS = 240_000

let runyard: TestRunyard
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'runyard-cli-'))
  const filter = (path: string) => !/node_modules|\.runyard|dist$/.test(path)
  cpSync(EXAMPLE, join(folder, 'agent'), { recursive: true, filter })
  writeFileSync(join(folder, 'agent.env'), '# a comment\nAGENT_MODEL=none\nTOKEN="sk-secret"\n')
  runyard = await startRunyard()
}, ROLLOUT_MS)
afterAll(async () => {
  await runyard.stop()
  rmSync(folder, { recursive: true, force: true })
}, ROLLOUT_MS)

interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** `runyard …` in the folder, at the test's Runyard with its admin key unless `env` says otherwise. */
function start(args: string[], env: Record<string, string> = {}) {
  const own = { RUNYARD_URL: runyard.url, RUNYARD_API_KEY: runyard.adminKey }
  const child = spawn(RUNYARD, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...own, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (chunk) => {
      printed[stream] += chunk
    })
  }
  const ended = once(child, 'close').then(([code]): Ended => ({ code, ...printed }))
  return { child, ended, until: (text: string) => untilPrinted(child, () => printed.stderr, text) }
}

const cli = (...args: string[]) => start(args).ended

async function untilPrinted(child: ChildProcess, printed: () => string, text: string) {
  while (!printed().includes(text)) {
    if (child.exitCode !== null) throw new Error(`it ended without "${text}":\n${printed()}`)
    await Promise.race([once(child.stderr as NodeJS.ReadableStream, 'data'), once(child, 'close')])
  }
}

async function ok(...args: string[]): Promise<string> {
  const ended = await cli(...args)
  expect(ended, args.join(' ')).toMatchObject({ code: 0 })
  return ended.stdout
}

const revisions = async () => JSON.parse(await ok('revisions', 'support', '--json'))

/** One after the other: each goes on with what the one before has deployed. */
describe('a deployment by the CLI', { timeout: ROLLOUT_MS }, () => {
  it('is made from a folder: the URL is printed, and the way there is shown', async () => {
    const args = ['deploy', 'agent', '--name', 'support', '--env-file', 'agent.env']
    const { code, stdout, stderr } = await cli(...args)
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: `${runyard.url}/agents/support\n`,
    })
    expect(stderr).toMatch(/BUILDING\n.*npm ci.*The build has ended well\..*DEPLOYED\n$/s)
    const info = await fetch(`${stdout.trim()}/info`)
    expect(info.headers.get('x-runyard-revision')).toBe((await revisions())[0].id)
    const found = await runyard.call('GET', '/v2/deployments?name=support')
    expect(found.body).toMatchObject({
      resources: [
        {
          secrets: [
            { name: 'AGENT_MODEL', value: 'none' },
            { name: 'TOKEN', value: 'sk-secret' },
          ],
        },
      ],
    })
  })

  it('gets its next revision from the next deploy, in JSON without the values of secrets', async () => {
    const deployed = await ok('deploy', 'agent', '--name', 'support', '--json')
    expect(JSON.parse(deployed)).toMatchObject({
      name: 'support',
      secrets: [{ name: 'AGENT_MODEL' }, { name: 'TOKEN' }],
      revision: { status: 'DEPLOYED' },
    })
    expect(deployed).not.toContain('sk-secret')
    expect(await revisions()).toHaveLength(2)
    const table = await ok('revisions', 'support')
    expect(table).toMatch(/^REVISION +STATUS +SERVING .*\n\S+ +DEPLOYED +yes .*\n\S+ +DEPLOYED /)
  })

  it('is listed with its address', async () => {
    expect(await ok('deployments')).toContain(`${runyard.url}/agents/support\n`)
    expect(JSON.parse(await ok('deployments', '--json'))).toMatchObject([{ name: 'support' }])
  })

  it('is called with a key that only calls agents, of its own workspace', async () => {
    const make = async (...more: string[]) =>
      (await ok('keys', 'create', '--name', 'caller', '--role', 'agent', ...more)).trim()
    const workspace = await runyard.call('POST', '/v2/workspaces', { name: 'Blue' })
    const { id } = workspace.body as { id: string }
    const [own, foreign] = [await make(), await make('--workspace', id)]
    const call = async (key: string) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      const url = `${runyard.url}/agents/support/threads`
      return (await fetch(url, { method: 'POST', headers, body: '{}' })).status
    }
    expect([await call(own), await call(foreign)]).toEqual([200, 404])
    const refused = await start(['deployments'], { RUNYARD_API_KEY: own }).ended
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('role agent') })
  })

  it('fails with the reason when its project does, and the old revision serves on', async () => {
    mkdirSync(join(folder, 'broken'))
    writeFileSync(join(folder, 'broken/langgraph.json'), '{"graphs": {"agent": "./gone.ts:graph"}}')
    const { code, stdout, stderr } = await cli('deploy', 'broken', '--name', 'support')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/_FAILED: .*gone\.ts/s)
    const [broken, active] = await revisions()
    expect(broken.status).toMatch(/_FAILED$/)
    expect(await ok('deployments')).toContain(active.id)
  })

  it('prints what its build has printed', async () => {
    expect(await ok('logs', 'support', '--build', '-f')).toContain('gone.ts')
    const [, built] = await revisions()
    const log = await ok('logs', 'support', '--build', '--revision', built.id, '--json')
    const lines = log.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).message)).toContain('The build has ended well.')
    expect((await cli('logs', 'support')).code).toBe(0)
  })

  it('goes back to the revision before, and to any that is named', async () => {
    const [, second, first] = await revisions()
    expect((await cli('rollback', 'support')).code).toBe(0)
    expect((await cli('rollback', 'support', '--to', second.id.slice(0, 8))).code).toBe(0)
    const statuses = (await revisions()).map((one: { status: string }) => one.status)
    expect(statuses.slice(0, 2)).toEqual(['DEPLOYED', 'DEPLOYED'])
    expect(first.status).toBe('DEPLOYED')
    const unknown = await cli('rollback', 'support', '--to', 'nonsense')
    expect(unknown).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no revision nonsense/),
    })
  })

  it('goes on without the command that Ctrl-C ends', async () => {
    mkdirSync(join(folder, 'slow'))
    writeFileSync(join(folder, 'slow/langgraph.json'), '{"graphs": {"agent": "./agent.ts:graph"}}')
    writeFileSync(join(folder, 'slow/agent.ts'), 'export const graph = {}\n')
    const scripts = { postinstall: 'node -e "setInterval(() => {}, 1000)"' }
    writeFileSync(join(folder, 'slow/package.json'), JSON.stringify({ name: 'slow', scripts }))
    const deploy = start(['deploy', 'slow', '--name', 'slow'])
    await deploy.until('BUILDING')
    deploy.child.kill('SIGINT')
    const { code, stdout, stderr } = await deploy.ended
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' })
    expect(stderr).toContain('goes on without this command')
    const [{ id, status }] = JSON.parse(await ok('revisions', 'slow', '--json'))
    expect(status).toBe('BUILDING')
    const [deployment] = JSON.parse(await ok('deployments', '--json'))
    await runyard.call('POST', `/v2/deployments/${deployment.id}/revisions/${id}/interrupt`)
  })

  it('is gone when it was deleted, with its name free again', async () => {
    expect((await cli('delete', 'support')).code).toBe(0)
    expect(await cli('delete', 'support')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no deployment support/),
    })
    expect(JSON.parse(await ok('delete', 'slow', '--json'))).toMatchObject({ is_gone: true })
  })
})

describe('keys by the CLI', () => {
  it('are made, listed, work as their role says, and are revoked', async () => {
    const made = await cli(
      'keys',
      'create',
      '--name',
      'ci',
      '--role',
      'viewer',
      '--expires-in',
      '30d',
    )
    const env = { RUNYARD_API_KEY: made.stdout.trim() }
    expect(made.stdout).toMatch(/^ry_\S{43}\n$/)
    expect(await start(['deployments'], env).ended).toMatchObject({ code: 0 })
    const refused = await start(['keys', 'list'], env).ended
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/role viewer/) })
    const [{ id, name, role }] = JSON.parse(await ok('keys', 'list', '--json'))
    expect({ name, role }).toEqual({ name: 'ci', role: 'viewer' })
    expect(await ok('keys', 'list')).toMatch(new RegExp(`^${id} +ci +viewer +ry_.{4} +until `, 'm'))
    await ok('keys', 'revoke', id)
    expect(await start(['deployments'], env).ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/was revoked/),
    })
    expect(await ok('keys', 'list')).toMatch(new RegExp(`^${id} .* revoked `, 'm'))
  })
})

describe('a command that cannot work', () => {
  const refusals: [string, string[], Record<string, string>, number, RegExp][] = [
    [
      'says that nothing answers',
      ['deployments'],
      { RUNYARD_URL: 'http://127.0.0.1:9' },
      1,
      /runyard up/,
    ],
    [
      'says where a refused key came from',
      ['deployments'],
      { RUNYARD_API_KEY: 'x' },
      1,
      /RUNYARD_API_KEY/,
    ],
    [
      'asks for a key where there is none',
      ['deployments'],
      { RUNYARD_API_KEY: '' },
      1,
      /--api-key/,
    ],
    ['names a folder without a project', ['deploy', '.', '--name', 'a'], {}, 1, /langgraph\.json/],
    [
      'repeats why a name is refused',
      ['deploy', 'agent', '--name', 'No Name'],
      {},
      1,
      /body\.name/,
    ],
    ['is told from wrong usage', ['deploy', 'agent'], {}, 2, /--name/],
    ['is told from an unknown one', ['nonsense'], {}, 2, /unknown command/],
  ]

  it.each(refusals)('%s', async (_, args, env, code, stderr) => {
    const ended = await start(args, env).ended
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toMatch(stderr)
  })

  it('names a missing file of secrets', async () => {
    const args = ['deploy', 'agent', '--name', 'a', '--env-file', 'gone.env']
    const { code, stderr } = await cli(...args)
    // Node looks for such a file itself, wherever the option stands, and has a code of its own.
    expect(code).not.toBe(0)
    expect(stderr).toContain('gone.env')
  })
})
