import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { systemClock } from '../../core/clock.ts'
import { silentLog } from '../../core/log.ts'
import { openBuildLog } from '../build-log.ts'
import { removeInstalls } from '../install-cache.ts'
import { DEFAULT_LIMITS } from '../step.ts'
import { installProject } from './install.ts'

const DEPLOYMENT = '00000000-0000-4000-8000-000000000001'
const OTHER = '00000000-0000-4000-8000-000000000002'

/** A workspace whose lock file needs nothing from a registry. */
const WORKSPACE = {
  'package.json': '{"name":"top","version":"1.0.0","workspaces":["packages/*"]}',
  'packages/tool/package.json': '{"name":"tool","version":"1.0.0","bin":"tool.js"}',
  'packages/tool/tool.js': '',
  'packages/agent/package.json': '{"name":"agent","version":"1.0.0"}',
  'package-lock.json': JSON.stringify({
    name: 'top',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: {
      '': { name: 'top', version: '1.0.0', workspaces: ['packages/*'] },
      'node_modules/tool': { resolved: 'packages/tool', link: true },
      'node_modules/agent': { resolved: 'packages/agent', link: true },
      'packages/tool': { name: 'tool', version: '1.0.0', bin: 'tool.js' },
      'packages/agent': { name: 'agent', version: '1.0.0' },
    },
  }),
}

let dir: string
beforeEach(() => {
  dir = temporaryFolder()
})

interface Install {
  files?: Record<string, string>
  /** Without npm nothing can be installed. */
  npm?: string
  deployment_id?: string
  workspace_id?: string
  node?: string
  env?: Record<string, string>
  hasJsModules?: boolean
}

let installs = 0

/** Installs in a fresh folder, and answers it with the log of the install. */
async function install(of: Install = {}): Promise<{ source: string; log: string }> {
  installs += 1
  const source = join(dir, `source-${installs}`)
  for (const [name, text] of Object.entries({ ...WORKSPACE, ...of.files })) {
    await mkdir(dirname(join(source, name)), { recursive: true })
    await writeFile(join(source, name), text)
  }
  const logPath = join(dir, `log-${installs}`)
  const log = openBuildLog(logPath, systemClock, silentLog)
  const env = { PATH: process.env.PATH ?? '', HOME: dir, ...of.env }
  const { deployment_id = DEPLOYMENT, node = '24.0.0', npm = 'npm' } = of
  const configPath = join(source, 'langgraph.json')
  const request = {
    dir,
    deployment_id,
    ...(of.workspace_id !== undefined && { workspace_id: of.workspace_id }),
    source,
    configPath,
    npm,
    node,
    isKept: true,
    hasJsModules: of.hasJsModules ?? true,
  }
  const { signal } = new AbortController()
  try {
    await installProject(request, { log, signal, limits: DEFAULT_LIMITS, env })
  } finally {
    await log.close()
  }
  return { source, log: await readFile(logPath, 'utf8') }
}

const NO_NPM = { npm: '/nowhere/npm' }

test('a build with the lock file of an earlier one installs nothing', async () => {
  const first = await install()
  const again = await install({ ...NO_NPM, files: { 'agent.ts': 'changed' } })
  expect(again.log).toContain('Nothing to install')
  for (const folder of ['node_modules', 'node_modules/.bin']) {
    expect(await readdir(join(again.source, folder))).toEqual(
      await readdir(join(first.source, folder)),
    )
  }
  await rm(again.source, { recursive: true })
  expect((await install(NO_NPM)).log).toContain('Nothing to install')
})

test.each<[string, Install]>([
  ['deployment', { deployment_id: OTHER }],
  ['Node', { node: '22.0.0' }],
  [
    'package.json',
    { files: { 'packages/agent/package.json': '{"name":"agent","version":"2.0.0"}' } },
  ],
  ['setting of npm', { files: { '.npmrc': 'legacy-peer-deps=true' } }],
  ['variable that npm reads', { env: { npm_config_registry: 'http://localhost:9/' } }],
])('another %s has an install of its own', async (_what, other) => {
  await install()
  await expect(install({ ...other, ...NO_NPM })).rejects.toThrow('npm ci')
})

test('a script or a variable that no install reads changes nothing', async () => {
  await install()
  const scripts = '{"name":"agent","version":"1.0.0","scripts":{"test":"vitest"}}'
  const files = { 'packages/agent/package.json': scripts }
  expect((await install({ files, env: { MODEL_KEY: 'x' }, ...NO_NPM })).log).toContain('Nothing')
})

test('two installs of a deployment are kept, the last used, and what a crash left is removed', async () => {
  const kept = () => readdir(join(dir, 'installs', DEPLOYMENT))
  await install({ node: 'a' })
  await mkdir(join(dir, 'installs', DEPLOYMENT, 'part-of-a-crash'))
  await install({ node: 'b' })
  expect(await kept()).toHaveLength(2)
  await install({ node: 'a', ...NO_NPM })
  await install({ node: 'c' })
  expect(await kept()).toHaveLength(2)
  await install({ node: 'a', ...NO_NPM })
  await removeInstalls(dir, DEPLOYMENT)
  await expect(kept()).rejects.toThrow('ENOENT')
})

test('the first build of a deployment copies what another one of its workspace has installed', async () => {
  const [ours, theirs] = ['workspace-a', 'workspace-b']
  const tool = 'node_modules/.package-lock.json'
  const first = await install({ workspace_id: ours })
  const other = { deployment_id: OTHER, ...NO_NPM }
  await expect(install({ ...other, workspace_id: theirs })).rejects.toThrow('npm ci')
  const named = WORKSPACE['package.json'].replace('top', 'other')
  const second = await install({ ...other, workspace_id: ours, files: { 'package.json': named } })
  expect(second.log).toContain('the packages of another deployment are the same')
  // Neither deployment can change the other's packages, nor those of a third one.
  for (const { source } of [first, second]) await writeFile(join(source, tool), 'changed')
  const third = await install({ ...NO_NPM, deployment_id: 'third', workspace_id: ours })
  expect(await readFile(join(third.source, tool), 'utf8')).toContain('"packages"')
  await removeInstalls(dir, OTHER)
  await rm(join(dir, 'shared'), { recursive: true })
  await expect(install({ ...other, workspace_id: ours })).rejects.toThrow('npm ci')
})

test('two builds at once share one install, and nothing unfinished is left', async () => {
  const workspace_id = 'workspace-a'
  const both = [DEPLOYMENT, OTHER].map((deployment_id) => install({ deployment_id, workspace_id }))
  await Promise.all(both)
  expect(await readdir(join(dir, 'shared'))).toHaveLength(1)
  expect(await readdir(join(dir, 'unfinished'))).toEqual([])
})

test('shared packages that cannot be copied are installed', async () => {
  const workspace_id = 'workspace-a'
  await install({ workspace_id })
  const [name = ''] = await readdir(join(dir, 'shared'))
  await rm(join(dir, 'shared', name), { recursive: true })
  await writeFile(join(dir, 'shared', name), '')
  const { source } = await install({ deployment_id: OTHER, workspace_id })
  expect(await readdir(join(source, 'node_modules'))).toContain('tool')
})

test('packages that cannot be shared are kept, and the build goes on', async () => {
  await writeFile(join(dir, 'shared'), 'no folder')
  const { log } = await install({ workspace_id: 'workspace-a' })
  expect(log).toContain('The packages could not be shared: ')
  expect((await install(NO_NPM)).log).toContain('the packages of an earlier build are the same')
})

test('an install whose own scripts may do anything is not kept, and the log says so', async () => {
  const files = {
    'package.json': WORKSPACE['package.json'].replace('}', ',"scripts":{"prepare":"true"}}'),
  }
  const { log } = await install({ files })
  expect(log).toContain('not kept for the next build: package.json has the script "prepare".')
  await expect(install({ files, ...NO_NPM })).rejects.toThrow('npm ci')
})

/** Stands in for npm: it refuses while it is to believe what it has kept. */
async function outdatedNpm(code: string): Promise<string> {
  const npm = join(dir, 'npm')
  const script = `#!/bin/sh
case "$*" in *--prefer-offline*) echo "npm error code ${code}" >&2; exit 1;; esac
mkdir node_modules`
  await writeFile(npm, script, { mode: 0o755 })
  return npm
}

test('where npm has kept an older answer of the registry it asks again', async () => {
  const { log } = await install({ npm: await outdatedNpm('ETARGET') })
  expect(log).toMatch(
    /\$ npm ci .*--prefer-offline\n.*ETARGET\n.*asks again.*\n.*\$ npm ci [^\n]*no-fund\n/,
  )
})

test('what npm refuses for another reason is tried once', async () => {
  await expect(install({ npm: await outdatedNpm('EUSAGE') })).rejects.toThrow('--prefer-offline')
})

test('a LangGraph that is too old is refused before npm is asked for anything', async () => {
  const lock = JSON.parse(WORKSPACE['package-lock.json'])
  lock.packages['node_modules/@langchain/langgraph'] = { version: '0.2.11' }
  const files = { 'package-lock.json': JSON.stringify(lock) }
  await expect(install({ ...NO_NPM, files })).rejects.toThrow(
    'The project has @langchain/langgraph 0.2.11 (package-lock.json), and Runyard needs 0.2.57',
  )
  // No graph of such a project imports it.
  await expect(install({ ...NO_NPM, files, hasJsModules: false })).rejects.toThrow('npm')
})
