/** What a developer's graph, and the build of it, can read of the operator's: `RUNYARD_SANDBOX`. */
import { chownSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { ControlPlaneClient } from '../../client/src/client.ts'
import { deployFolder } from '../../src/cli/deploy/deploy-folder.ts'
import { NO_PYTHON, pathWithUv } from '../support/hosts/python.ts'
import { writePythonProject } from '../support/hosts/python-project.ts'
import { runNow } from '../support/processes/program.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = resolve(import.meta.dirname, '../..')
const SPY = join(root, 'test/fixtures/projects/spy')
const isRoot = process.getuid?.() === 0
const DEPLOY_MS = 240_000
const NOTHING = expect.stringMatching(/^(EACCES|ENOENT)$/)
const NOTHING_BUT_ITSELF = expect.stringMatching(/^(EACCES|ENOENT|folder of [\w-]{36})$/)

let dataDir: string
let server: ServeProcess | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
})

/** `isPlain`: as a user without rights; where this is one already it is as it is. */
async function start(
  sandbox: string,
  isPlain: boolean,
  more: NodeJS.ProcessEnv = {},
): Promise<ControlPlaneClient> {
  dataDir = temporaryFolder()
  const nobody = isRoot && isPlain ? ['--reuid=nobody', '--regid=nogroup', '--clear-groups'] : []
  if (nobody.length > 0) chownSync(dataDir, idOf('nobody'), 0)
  const runyard = [join(root, 'bin/runyard'), 'up', '--port', '0', '--data-dir', dataDir]
  const [command = '', ...args] = [...(nobody.length > 0 ? ['setpriv', ...nobody] : []), ...runyard]
  const env = {
    RUNYARD_SANDBOX: sandbox,
    RUNYARD_EXAMPLE: '0',
    RUNYARD_LOG_LEVEL: 'error',
    A_KEY_OF_THE_OPERATOR: 'hush',
    // The home of whom these tests run as may be closed to others.
    HOME: dataDir,
    ...more,
  }
  server = await startServeProcess(command, args, { cwd: root, env })
  const apiKey = readFileSync(join(dataDir, 'admin.key'), 'utf8').trim()
  return new ControlPlaneClient({ url: server.url, apiKey })
}

const idOf = (user: string) => Number(runNow('id', ['-u', user]))

/** Deploys the spy, whose build writes what it can read to `stolen`. */
async function deploySpy(client: ControlPlaneClient, name: string, paths: string[]) {
  // A folder of the project's own, since its bundle is written there.
  const install_command = `mkdir node_modules && ln -s ${join(root, 'node_modules')}/* node_modules`
  const build_command = `cat ${paths.join(' ')} > stolen 2>/dev/null; true`
  await client.createDeployment({
    name,
    source: 'internal_source',
    source_config: { install_command, build_command },
    source_revision_config: {},
    secrets: [],
  })
  const signal = AbortSignal.timeout(DEPLOY_MS)
  const revision = await deployFolder(client, { folder: SPY, name, secrets: [], signal })
  expect(revision).toMatchObject({ status: 'DEPLOYED', status_message: null })
}

async function look(paths: string[]) {
  const answer = await fetch(`${server?.url}/agents/spy/runs/wait`, {
    method: 'POST',
    headers: { 'x-api-key': readFileSync(join(dataDir, 'admin.key'), 'utf8').trim() },
    body: JSON.stringify({ assistant_id: 'spy', input: { paths } }),
  })
  return (await answer.json()) as { found: Record<string, string>; variables: string[] }
}

/** Why bubblewrap cannot work on this machine; empty: it can. */
function whyNoBubblewrap(): string {
  try {
    runNow('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true'])
    return ''
  } catch (error) {
    return String(error)
  }
}

const cases: [sandbox: string, isPlain: boolean][] = [
  ['bwrap', true],
  ...(isRoot
    ? ([
        ['bwrap', false],
        ['user:nobody', false],
        ['auto', false],
      ] as [string, boolean][])
    : []),
]

describe.each(cases)('a project in the sandbox %s (of a plain user: %s)', (sandbox, isPlain) => {
  it('runs, and reads nothing of the operator', { timeout: 2 * DEPLOY_MS }, async () => {
    if (sandbox === 'bwrap' && whyNoBubblewrap() !== '') {
      await expect(start(sandbox, isPlain)).rejects.toThrow('RUNYARD_SANDBOX: bubblewrap')
      return
    }
    const client = await start(sandbox, isPlain)
    const keys = ['admin.key', 'encryption.key', 'control-plane.db'].map((name) =>
      join(dataDir, name),
    )
    const environment = `/proc/${server?.process.pid}/environ`
    const closed = [...keys, environment]
    await deploySpy(client, 'spy', closed)
    const [own = ''] = readdirSync(join(dataDir, 'deployments'))
    const others = ['deployments', 'builds/revisions', 'builds/uploads', 'logs'].map((name) =>
      join(dataDir, name),
    )
    const stolen = 'stolen'
    const database = join(dataDir, 'deployments', own, 'agent.db')
    const { found, variables } = await look([...closed, ...others, stolen, database])
    for (const path of closed) expect([path, found[path]]).toEqual([path, NOTHING])
    // Of the folders of others they see at most that they are in one themselves.
    for (const path of others) expect([path, found[path]]).toEqual([path, NOTHING_BUT_ITSELF])
    expect(found[stolen]).toBe('empty')
    expect(found[database]).toBe('read')
    expect(variables).not.toContain('A_KEY_OF_THE_OPERATOR')
    expect(await server?.stop()).toBe(0)
    server = undefined
  })
})

/** What it finds at a path that its deployment names, and among its variables. */
const LOOKING = `
import os


def look(path: str) -> str:
    try:
        return f"read {len(open(path).read())}"
    except OSError as error:
        return type(error).__name__


ANSWER = look(os.environ["LOOK_AT"]) + " " + os.environ.get("A_KEY_OF_THE_OPERATOR", "nothing")
`

describe
  .skipIf(NO_PYTHON)
  .each(cases.filter(([sandbox, isPlain]) => isPlain !== isRoot && sandbox !== 'auto'))(
  `a project in Python in the sandbox %s${NO_PYTHON ? ` (skipped: ${NO_PYTHON})` : ''}`,
  (sandbox, isPlain) => {
    it('is built and runs, and reads nothing of the operator', {
      timeout: 2 * DEPLOY_MS,
    }, async () => {
      if (sandbox === 'bwrap' && whyNoBubblewrap() !== '') return
      const client = await start(sandbox, isPlain, { PATH: await pathWithUv() })
      const folder = temporaryFolder()
      try {
        writePythonProject(folder, { more: { 'src/my_tools/__init__.py': LOOKING } })
        const key = join(dataDir, 'admin.key')
        const secrets = [{ name: 'LOOK_AT', value: key }]
        const signal = AbortSignal.timeout(DEPLOY_MS)
        const revision = await deployFolder(client, { folder, name: 'python', secrets, signal })
        expect(revision).toMatchObject({ status: 'DEPLOYED', status_message: null })
        const answer = await fetch(`${server?.url}/agents/python/runs/wait`, {
          method: 'POST',
          headers: { 'x-api-key': readFileSync(key, 'utf8').trim() },
          body: JSON.stringify({ assistant_id: 'agent', input: { messages: [] } }),
        })
        const { messages } = (await answer.json()) as { messages: { content: string }[] }
        expect(messages.at(-1)?.content).toMatch(/^(FileNotFound|Permission)Error nothing$/)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })
  },
)

it('refuses to start where it cannot be had, and says what to do', async () => {
  const [wrong, why] = isRoot
    ? ['user:nobody-of-this-name', 'there is no user nobody-of-this-name']
    : ['user:nobody', 'user:nobody needs Runyard to be started as root']
  await expect(start(wrong, false)).rejects.toThrow(`RUNYARD_SANDBOX: ${why}`)
})
