/** The published package: packed, installed in an empty folder beside a project, and run there. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { installHostPython, NO_PYTHON } from '../support/hosts/python.ts'
import { writePythonProject } from '../support/hosts/python-project.ts'
import { type Clone, makeClone } from '../support/processes/clone.ts'
import { run } from '../support/processes/program.ts'
import { runOnce, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const INSTALL_MS = 300_000
const root = resolve(import.meta.dirname, '../..')

const folder = temporaryFolder()
let clone: Clone
/** The path of the tarball. */
let packed: string
/** A folder with nothing but the package, and what npm printed while it installed that. */
const empty = join(folder, 'empty')
let installed: string
beforeAll(async () => {
  clone = makeClone()
  for (const packages of ['node_modules', 'dashboard/node_modules'])
    symlinkSync(join(root, packages), join(clone.folder, packages))
  const printed = await npm(clone.folder, 'pack', '--pack-destination', folder)
  packed = join(folder, printed.trim().split('\n').at(-1) ?? '')
  mkdirSync(empty)
  writeFileSync(join(empty, 'package.json'), '{}')
  const install = 'npm install --no-audit --no-fund "$0" 2>&1'
  installed = await run('/bin/sh', ['-c', install, packed], { cwd: empty })
}, 2 * INSTALL_MS)
afterAll(() => {
  clone.remove()
})

const npm = (cwd: string, ...args: string[]) => run('npm', [...args, '--loglevel=error'], { cwd })

it('is installed without a warning, in less than 250 MB', { timeout: INSTALL_MS }, async () => {
  expect(installed).not.toMatch(/warn|deprecated/i)
  const lock = JSON.parse(readFileSync(join(empty, 'package-lock.json'), 'utf8'))
  expect(JSON.stringify(lock)).not.toContain('hasInstallScript')
  const [used = ''] = (await run('du', ['-sm', 'node_modules'], { cwd: empty })).split('\t')
  expect(Number(used)).toBeLessThan(250)
})

it('deploys the example and has the dashboard', { timeout: INSTALL_MS }, async () => {
  const cwd = empty
  const command = join(cwd, 'node_modules/.bin/runyard')
  const server = await startServeProcess(command, ['up', '--port', '0'], { cwd })
  const apiKey = readFileSync(join(cwd, '.runyard/admin.key'), 'utf8').trim()
  const ran = await fetch(`${server.url}/agents/example/runs/wait`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      assistant_id: 'agent',
      input: { messages: [{ role: 'user', content: 'packed' }] },
    }),
  })
  expect(await ran.json()).toMatchObject({ messages: [{ content: 'packed' }, { type: 'ai' }] })
  const page = await fetch(server.url, { headers: { accept: 'text/html' } })
  expect(await page.text()).toContain('content="control-plane"')
  expect(await server.stop()).toBe(0)
})

it('serves a project from an empty folder', { timeout: INSTALL_MS }, async () => {
  const example = join(root, 'examples/agent')
  for (const file of ['src', 'langgraph.json', 'package.json', 'package-lock.json'])
    cpSync(join(example, file), join(folder, file), { recursive: true })
  writeFileSync(join(folder, '.npmrc'), 'fund=false\naudit=false\n')
  await npm(folder, 'install', packed)

  const args = ['serve', '--port', '0', '--workers', '1']
  const server = await startServeProcess('node_modules/.bin/runyard', args, { cwd: folder })
  expect(await runOnce(server.url, 'agent', 'packed')).toMatchObject({
    messages: [{ content: 'packed' }, { type: 'ai' }],
  })
  expect(await schemasOf(server.url, 'agent')).toHaveProperty('properties.messages')
  expect((await fetch(`${server.url}/docs`)).status).toBe(200)
  await answersTheApp(`${server.url}/studio/`)
  expect((await fetch(`${server.url}/docs/swagger-ui.css`)).status).toBe(200)
  expect(await server.stop()).toBe(0)
  await servesPython(args)
  const copied = readdirSync(join(folder, 'node_modules/runyard/dist/swagger-ui'))
  expect(copied).toEqual(
    expect.arrayContaining(['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt']),
  )
})

/** The browser app is built, and its files are compressed. */
async function answersTheApp(url: string): Promise<void> {
  const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text()
  expect(page).toContain('content="agent-server"')
  const [script = ''] = /assets\/index-[\w-]+\.js/.exec(page) ?? []
  const answer = await fetch(url + script)
  expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, 'gzip'])
}

/** The host for Python is in the package, and nothing that only its tests need. */
async function servesPython(args: string[]): Promise<void> {
  const host = readdirSync(join(folder, 'node_modules/runyard/hosts/python'))
  expect(host.toSorted()).toEqual(['pyproject.toml', 'run.py', 'src'])
  if (NO_PYTHON) return
  const cwd = join(folder, 'python')
  writePythonProject(cwd)
  const env = { VIRTUAL_ENV: dirname(dirname(await installHostPython())) }
  const command = join(folder, 'node_modules/.bin/runyard')
  const server = await startServeProcess(command, args, { cwd, env })
  expect(await runOnce(server.url, 'agent', 'packed')).toMatchObject({
    messages: [{ content: 'packed' }, { type: 'ai', content: 'packed' }],
  })
  expect(await server.stop()).toBe(0)
}

/** Of the state; a worker thread reads them from the project's types. */
async function schemasOf(url: string, graph_id: string): Promise<unknown> {
  const json = { 'content-type': 'application/json' }
  const search = { method: 'POST', headers: json, body: JSON.stringify({ graph_id }) }
  const found = await (await fetch(`${url}/assistants/search`, search)).json()
  const [{ assistant_id }] = found as [{ assistant_id: string }]
  const schemas = await (await fetch(`${url}/assistants/${assistant_id}/schemas`)).json()
  return (schemas as { state_schema: unknown }).state_schema
}
