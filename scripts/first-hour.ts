// Measures what a newcomer waits for, from nothing, with a warm cache of npm:
//
//   clone      from `npm start` in a fresh clone to the first token, to `ready` and to the dashboard
//   deploy     the first deploy of a project of `runyard new`, whose lock file the example has
//   package    the install of the packed package: its size, and npm's warnings
//
// `npm run first-hour`, or `npm run first-hour -- clone` for some of it. The figures depend on the machine: it should
// have nothing else to do.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeClone } from '../test/support/processes/clone.ts'
import { freePort } from '../test/support/processes/free-port.ts'
import { npmStart } from '../test/support/processes/npm-start.ts'

const ROOT = resolve(import.meta.dirname, '..')
const LIMIT_MS = 600_000
const wanted = process.argv.slice(2)

const isWanted = (part: string) => wanted.length === 0 || wanted.includes(part)
if (isWanted('clone') || isWanted('deploy')) await measureClone()
if (isWanted('package')) measurePackage()

async function measureClone(): Promise<void> {
  const clone = makeClone()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const begunAt = performance.now()
  const start = npmStart(clone.folder, { RUNYARD_PORT: String(port) })
  const answer = async () => {
    await start.until('"to":"DEPLOYED"')
    await firstToken(url, readFileSync(join(clone.folder, '.runyard/admin.key'), 'utf8').trim())
    show('first token', seconds(begunAt))
  }
  const page = async () => {
    await start.until(/^ready http.*$/m)
    show('ready', seconds(begunAt))
    const { ok } = await fetch(url, { headers: { accept: 'text/html' } })
    show(ok ? 'dashboard' : 'dashboard is still being built', seconds(begunAt))
  }
  try {
    await Promise.all([answer(), page()])
    if (isWanted('deploy')) measureDeploy(clone.folder, url)
  } finally {
    start.process.kill('SIGTERM')
    await start.ended
    clone.remove()
  }
}

/** Reads the answer's stream up to its first event with content. */
async function firstToken(url: string, key: string): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const input = { messages: [{ role: 'user', content: 'Hello' }] }
  const body = JSON.stringify({ assistant_id: 'agent', input, stream_mode: ['messages-tuple'] })
  const path = `${url}/agents/example/runs/stream`
  const { body: stream } = await fetch(path, { method: 'POST', headers, body })
  let text = ''
  for await (const chunk of stream?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.includes('event: messages')) return
  }
  throw new Error(`The run has no token: ${text}`)
}

function measureDeploy(clone: string, url: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'runyard-first-hour-'))
  const runyard = (...args: string[]) => run(join(clone, 'bin/runyard'), args, folder)
  try {
    runyard('new', 'expenses')
    const begunAt = performance.now()
    const key = readFileSync(join(clone, '.runyard/admin.key'), 'utf8').trim()
    runyard('deploy', 'expenses', '--name', 'expenses', '--url', url, '--api-key', key)
    show('first deploy with a known lock file', seconds(begunAt))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function measurePackage(): void {
  const folder = mkdtempSync(join(tmpdir(), 'runyard-first-hour-'))
  try {
    const printed = run('npm', ['pack', '--loglevel=error', '--pack-destination', folder], ROOT)
    const name = printed.trim().split('\n').at(-1) ?? ''
    writeFileSync(join(folder, 'package.json'), '{}')
    const begunAt = performance.now()
    const said = run('npm', ['install', '--no-audit', '--no-fund', `./${name}`], folder)
    show('install of the package', seconds(begunAt))
    show('its size', `${run('du', ['-sm', 'node_modules'], folder).split('\t')[0]} MB`)
    show('lines of warnings', String(said.split('\n').filter((line) => /warn/i.test(line)).length))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns what the program has printed. */
function run(file: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(file, args, {
    cwd,
    encoding: 'utf8',
    timeout: LIMIT_MS,
  })
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} failed: ${stdout}${stderr}`)
  return stdout + stderr
}

function seconds(begunAt: number): string {
  return `${((performance.now() - begunAt) / 1_000).toFixed(1)} s`
}

function show(what: string, figure: string): void {
  console.log(`${what.padEnd(36)} ${figure}`)
}
