/** The commands that talk to a control plane: the real binary against a whole Runyard. */
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DOMAIN_CERTIFICATE } from '../support/gateway/certificate.ts'
import { startCommand } from '../support/processes/command.ts'
import { startRunyard, type TestRunyard } from '../support/processes/runyard.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const NO_FILES = ['--certificate', 'none.pem', '--key', 'none.pem']
const EXAMPLE = resolve(import.meta.dirname, '../../examples/agent')

let runyard: TestRunyard
const folder = temporaryFolder()
beforeAll(async () => {
  const filter = (path: string) => !/node_modules|\.runyard|dist$/.test(path)
  cpSync(EXAMPLE, join(folder, 'agent'), { recursive: true, filter })
  writeFileSync(join(folder, 'agent.env'), '# a comment\nAGENT_MODEL=none\nTOKEN="sk-secret"\n')
  runyard = await startRunyard()
})
afterAll(async () => {
  await runyard.stop()
})

/** `runyard …` in the folder, at the test's Runyard with its admin key unless `env` says otherwise. */
function start(args: string[], env: Record<string, string> = {}) {
  const own = { RUNYARD_URL: runyard.url, RUNYARD_API_KEY: runyard.adminKey }
  return startCommand(args, { cwd: folder, env: { ...own, ...env } })
}

const cli = (...args: string[]) => start(args).ended

async function ok(...args: string[]): Promise<string> {
  const ended = await cli(...args)
  expect(ended, args.join(' ')).toMatchObject({ code: 0 })
  return ended.stdout
}

const revisions = async () => JSON.parse(await ok('revisions', 'support', '--json'))

const HOST = 'agents.example.com'
const domains = async () => JSON.parse(await ok('domains', 'support', '--json')).resources
const statusAt = async () => {
  const { port } = new URL(runyard.url)
  const asked = request({ port, path: '/info', headers: { host: HOST } }).end()
  const [{ statusCode, headers }] = await once(asked, 'response')
  return { statusCode, isAgent: headers['x-runyard-revision'] !== undefined }
}

/** One after the other: each goes on with what the one before has deployed. */
describe('a deployment by the CLI', () => {
  it('is made from a folder: the URL is printed, and the way there is shown', async () => {
    const args = ['deploy', 'agent', '--name', 'support', '--env-file', 'agent.env']
    const { code, stdout, stderr } = await cli(...args, '--message', 'The first one')
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: `${runyard.url}/agents/support\n`,
    })
    expect(stderr).toMatch(/BUILDING\n.*npm ci.*Build succeeded\..*DEPLOYED\n$/s)
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
    writeFileSync(join(folder, 'more.env'), 'MORE=sk-more\nTOKEN=sk-other\n')
    writeFileSync(join(folder, 'agent/note.txt'), 'more\n')
    const args = ['--env-file', 'more.env', '-m', 'More', '--json']
    const deployed = await ok('deploy', 'agent', '--name', 'support', ...args)
    expect(JSON.parse(deployed)).toMatchObject({
      name: 'support',
      secrets: [{ name: 'AGENT_MODEL' }, { name: 'MORE' }, { name: 'TOKEN' }],
      revision: { status: 'DEPLOYED' },
    })
    expect(deployed).not.toContain('sk-secret')
    expect(await revisions()).toHaveLength(2)
    const table = await ok('revisions', 'support')
    expect(table).toMatch(
      /^REVISION +STATUS +SERVING .*\n#2 +DEPLOYED +yes .* More\n#1 +DEPLOYED .* The first one\n/,
    )
  })

  it('shows what a revision changed, by its number or its id', async () => {
    const shown = await ok('revisions', 'show', 'support')
    expect(shown).toMatch(/^revision +#2 \(\S+\)\n(.*\n)*message +More\n/)
    expect(shown.slice(shown.indexOf('Changed since #1'))).toBe(
      'Changed since #1\n+ secret MORE\n~ secret TOKEN\n+ note.txt (+1 -0)\n',
    )
    const [second, first] = await revisions()
    expect(await ok('revisions', 'show', 'support', '#2', '--diff')).toMatch(/\n {4}\+more\n$/)
    expect(await ok('revisions', 'show', 'support', '1')).toContain('It is the first revision.')
    expect(await ok('revisions', 'show', 'support', first.id.slice(0, 8))).toContain('#1 (')
    const found = JSON.parse(await ok('revisions', 'show', 'support', second.id, '--json'))
    expect(found).toMatchObject({ number: 2, comparison: { source: { state: 'compared' } } })
    expect(JSON.stringify(found)).not.toContain('sk-')
  })

  it('loses other secrets only with --replace-env', async () => {
    const only = ['--replace-env', '--json']
    writeFileSync(join(folder, 'only.env'), 'TOKEN=sk-last\n')
    const deployed = await ok(
      'deploy',
      'agent',
      '--name',
      'support',
      '--env-file',
      'only.env',
      ...only,
    )
    expect(JSON.parse(deployed).secrets).toEqual([{ name: 'TOKEN' }])
    expect(await cli('deploy', 'agent', '--name', 'support', '--replace-env')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--replace-env needs an --env-file'),
    })
  })

  it('is listed with its address', async () => {
    expect(await ok('deployments')).toMatch(/support +READY +#3 .*\/agents\/support\n/)
    expect(JSON.parse(await ok('deployments', '--json'))).toMatchObject([{ name: 'support' }])
  })

  it('has a status, with what serves', async () => {
    const [{ id }] = await revisions()
    expect(await ok('status')).toMatch(/^NAME +STATUS +SERVES .*\nsupport +READY +yes /)
    expect(await ok('status', 'support')).toMatch(
      new RegExp(`^serving +#3 \\(${id}\\), made `, 'm'),
    )
    const { latest_revision } = JSON.parse(await ok('status', 'support', '--json'))
    expect(latest_revision).toMatchObject({ id, status: 'DEPLOYED' })
    expect(await ok('status', 'support', '--watch')).toBe(`${runyard.url}/agents/support\n`)
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

  it('is answered at domains that are added, listed, certified and removed', async () => {
    const { certificate, private_key } = DOMAIN_CERTIFICATE
    writeFileSync(join(folder, 'fullchain.pem'), certificate)
    writeFileSync(join(folder, 'privkey.pem'), private_key)
    const files = ['--certificate', 'fullchain.pem', '--key', 'privkey.pem']
    const added = await cli('domains', 'add', 'support', 'Agents.example.com', ...files)
    const { port } = new URL(runyard.url)
    expect(added).toMatchObject({ code: 0, stdout: `http://${HOST}:${port}\n` })
    expect(added.stderr).toContain('Its DNS has to lead to 127.0.0.1')
    expect(await statusAt()).toEqual({ statusCode: 200, isAgent: true })
    expect(await domains()).toMatchObject([
      { host: HOST, certificate: { names: [HOST, '*.team.example.com'] } },
    ])
    expect(await ok('domains', 'support')).toMatch(/^agents.example.com +\w+ +until 2120-01-01 /m)
    expect(await cli('domains', 'add', 'support', HOST)).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining('is taken') },
    })
    await ok('domains', 'certificate', 'support', HOST, '--remove')
    expect(await domains()).toMatchObject([{ certificate: null }])
    const set = await cli('domains', 'certificate', 'support', HOST, ...files)
    expect(set.stderr).toBe(`The certificate of ${HOST} is valid until 2120-01-01 00:00:00.\n`)
    expect(await cli('domains', 'certificate', 'support', HOST, ...NO_FILES)).toMatchObject({
      ...{ code: 1, stderr: 'runyard: --certificate: none.pem cannot be read.\n' },
    })
    await ok('domains', 'remove', 'support', HOST)
    expect(await domains()).toEqual([])
    expect(await statusAt()).toEqual({ statusCode: 404, isAgent: false })
    expect(await cli('domains', 'remove', 'support', HOST)).toMatchObject({ code: 1 })
  })

  it('is made public, and private again', async () => {
    const call = async () => {
      const url = `${runyard.url}/agents/support/threads/search`
      const headers = { 'content-type': 'application/json' }
      return (await fetch(url, { method: 'POST', headers, body: '{}' })).status
    }
    expect(await call()).toBe(401)
    expect((await cli('set', 'support', '--public')).stderr).toContain('callers need no key')
    expect(await call()).toBe(200)
    const set = JSON.parse(await ok('set', 'support', '--private', '--json'))
    expect(set).toMatchObject({ name: 'support', is_public: false })
    expect(await call()).toBe(401)
  })

  it('is refused before anything is sent when no build could take it', async () => {
    mkdirSync(join(folder, 'broken'))
    writeFileSync(
      join(folder, 'broken/langgraph.json'),
      '{"graphs": {"agent": "./agent.ts:graph"}}',
    )
    const { code, stdout, stderr } = await cli('deploy', 'broken', '--name', 'support')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^runyard: .*there is no file "\.\/agent\.ts"/)
    expect(await revisions()).toHaveLength(3)
  })

  it('fails with the reason when its build does, and the old revision serves on', async () => {
    writeFileSync(join(folder, 'broken/agent.ts'), 'export const graph = {}\n')
    const scripts = { postinstall: 'echo the wheel came off && exit 3' }
    writeFileSync(join(folder, 'broken/package.json'), JSON.stringify({ name: 'a', scripts }))
    const { code, stdout, stderr } = await cli('deploy', 'broken', '--name', 'support')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/the wheel came off.*_FAILED: .*"runyard logs support --build" prints/s)
    expect(await ok('status', 'support')).toContain('"runyard logs support --build" prints')
    const [broken, active] = await revisions()
    expect(broken.status).toMatch(/_FAILED$/)
    expect(await ok('deployments')).toContain(` #${active.number} `)
  })

  it('prints what its build has printed', async () => {
    expect(await ok('logs', 'support', '--build', '-f')).toContain('the wheel came off')
    const [, built] = await revisions()
    const log = await ok('logs', 'support', '--build', '--revision', `#${built.number}`, '--json')
    const lines = log.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).message)).toContain('Build succeeded.')
    const last = await ok('logs', 'support', '--build', '--revision', built.id, '--json', '-n', '2')
    expect(last.trim().split('\n')).toEqual(lines.slice(-2))
    expect((await cli('logs', 'support')).code).toBe(0)
  })

  it('goes back to the revision before, and to any that is named', async () => {
    const [, second, first] = await revisions()
    const back = await cli('rollback', 'support')
    expect(back.stderr).toContain(`Going back to #${first.number}: `)
    expect(await ok('revisions', 'support')).toMatch(
      new RegExp(`\n#5 .* back to #${first.number}\n`),
    )
    expect(await cli('logs', 'support', '--build')).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining(`#5 uses the build of #${first.number}: `),
    })
    const named = await cli('rollback', 'support', '--to', second.id.slice(0, 8))
    expect(named).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`to #${second.number}:`),
    })
    expect((await cli('rollback', 'support', '--to', '#1')).stderr).toContain('to #1:')
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
    const again = start(['status', 'slow', '--watch'])
    await again.until('BUILDING')
    again.child.kill('SIGINT')
    expect(await again.ended).toMatchObject({ code: 130 })
    const [{ id, status }] = JSON.parse(await ok('revisions', 'slow', '--json'))
    expect(status).toBe('BUILDING')
    const [deployment] = JSON.parse(await ok('deployments', '--json'))
    await runyard.call('POST', `/v2/deployments/${deployment.id}/revisions/${id}/interrupt`)
  })

  it('gets other instances, and keeps what was not named', async () => {
    expect((await cli('set', 'support', '--max', '2', '--memory', '512')).code).toBe(0)
    const set = JSON.parse(await ok('set', 'support', '--min', '1', '--json'))
    expect(set.source_config.resource_spec).toEqual({ min_scale: 1, max_scale: 2, memory_mb: 512 })
    expect(set.revision.status).toBe('DEPLOYED')
    expect((await cli('set', 'support', '--memory', 'much')).stderr).toContain('must be a number')
    expect((await cli('set', 'support')).stderr).toContain('Say what to change')
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

describe('listeners by the CLI', () => {
  const listed = async () => JSON.parse(await ok('listeners', 'list', '--json'))

  it('are made, listed, get other keys, and are deleted', async () => {
    const made = await cli('listeners', 'create', 'east', '--namespaces', 'agents, tests')
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ryl_[\w-]{43}\n$/) })
    expect(made.stderr).toContain(
      `RUNYARD_RUNTIME=kubernetes runyard listener --url ${runyard.url}`,
    )
    expect(made.stderr).not.toContain(made.stdout.trim())
    const [east] = await listed()
    expect(east).toMatchObject({
      compute_id: 'east',
      compute_config: { k8s_namespaces: ['agents', 'tests'] },
      last_heard_at: null,
    })
    expect(east).not.toHaveProperty('key')
    expect(await ok('listeners', 'list')).toMatch(
      new RegExp(`^${east.id} +east +agents,tests +- +- +-$`, 'm'),
    )
    expect(await cli('listeners', 'create', 'east')).toMatchObject({
      ...{ code: 1, stdout: '', stderr: expect.stringContaining('already exists') },
    })

    const { key } = JSON.parse(await ok('listeners', 'new-key', 'east', '--json'))
    expect(key).toMatch(/^ryl_/)
    const isTaken = async (one: string) => {
      const headers = { 'x-api-key': one, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: '{"headers": {}}' }
      const response = await fetch(`${runyard.url}/internal/listener/caller`, init)
      return !(await response.text()).includes('A listener’s key is needed')
    }
    expect(await isTaken(made.stdout.trim())).toBe(false)
    expect(await isTaken(key)).toBe(true)
    await ok('listeners', 'revoke-key', 'east')
    expect(await isTaken(key)).toBe(false)

    expect(JSON.parse(await ok('listeners', 'delete', 'east', '--json'))).toEqual({
      ...{ id: east.id, name: 'east', is_gone: true },
    })
    expect(await cli('listeners', 'delete', 'east')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no listener east'),
    })
  })

  it('are refused without a name, or with a namespace that has none', async () => {
    expect(await cli('listeners', 'create')).toMatchObject({ code: 2 })
    expect(await cli('listeners', 'create', 'west', '--namespaces', 'a,,b')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('such as agents,tests'),
    })
    expect(await listed()).toEqual([])
  })
})

describe('the dashboard by the CLI', () => {
  it('is opened by a link that signs in once, printed or handed to the browser', async () => {
    const printed = await cli('open', '--print')
    const link = /^(http:\S+)\/sign-in#code=([\w-]{43})\n$/
    expect(printed).toMatchObject({ code: 0, stdout: expect.stringMatching(link), stderr: '' })
    const [, origin, code] = link.exec(printed.stdout) ?? []
    expect(origin).toBe(runyard.url)
    const signIn = async () =>
      (await fetch(`${origin}/v2/session`, { method: 'POST', body: JSON.stringify({ code }) }))
        .status
    expect([await signIn(), await signIn()]).toEqual([201, 401])
    expect(JSON.parse(await ok('open', '--json'))).toMatchObject({
      url: expect.stringContaining('/sign-in#code='),
      expires_at: expect.any(String),
    })

    const browser = join(folder, 'browser')
    writeFileSync(browser, `#!/bin/sh\necho "$1" > ${folder}/opened\n`, { mode: 0o755 })
    const opening = await start(['open'], { BROWSER: browser }).ended
    expect(opening).toMatchObject({ code: 0, stdout: '' })
    await expect
      .poll(
        () => existsSync(join(folder, 'opened')) && readFileSync(join(folder, 'opened'), 'utf8'),
      )
      .toMatch(link)
    expect(opening.stderr).toContain('good once')
  })

  it('is refused to a key that only calls agents', async () => {
    const key = (await ok('keys', 'create', '--name', 'site', '--role', 'agent')).trim()
    const refused = await start(['open', '--print'], { RUNYARD_API_KEY: key }).ended
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('role agent') })
  })
})

describe('the doctor of a client', () => {
  it('says that Runyard answers, takes the key and is of the same version', async () => {
    expect(await ok('doctor', '--client')).toMatch(/^ok +address .*\nok +key .*\nok +version .*\n$/)
  })

  it('says where a key came from that is refused', async () => {
    const { code, stdout } = await start(['doctor', '--client'], { RUNYARD_API_KEY: 'x' }).ended
    expect({ code, stdout }).toMatchObject({ code: 1, stdout: /failed +key .*RUNYARD_API_KEY/ })
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
