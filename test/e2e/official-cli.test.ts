/** The official CLI of LangGraph, unchanged, against a whole Runyard. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../support/processes/program.ts'
import { startRunyard, type TestRunyard } from '../support/processes/runyard.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PEER = resolve(import.meta.dirname, '../peer/langgraph-cli')
const CLI = join(PEER, 'node_modules/.bin/langgraphjs')
const EXAMPLE = resolve(import.meta.dirname, '../../examples/agent')
const DEPLOY_MS = 240_000

let runyard: TestRunyard
const folder = temporaryFolder()
beforeAll(async () => {
  if (!existsSync(CLI)) {
    const args = ['ci', '--ignore-scripts', '--loglevel=error']
    await run('npm', args, { cwd: PEER })
  }
  const filter = (path: string) => !/node_modules|\.runyard|dist$/.test(path)
  cpSync(EXAMPLE, folder, { recursive: true, filter })
  runyard = await startRunyard()
}, 300_000)
afterAll(async () => {
  await runyard.stop()
})

interface Ended {
  code: number
  stdout: string
  stderr: string
}

/** `langgraphjs deploy …` in the project's folder, with the admin key. */
function cli(...args: string[]): Promise<Ended> {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    LANGSMITH_API_KEY: runyard.adminKey,
    LANGGRAPH_CLI_NO_ANALYTICS: '1',
  }
  const command = ['deploy', ...args, '--host-url', runyard.url]
  return new Promise((settle) => {
    execFile(CLI, command, { cwd: folder, env, timeout: DEPLOY_MS }, (error, stdout, stderr) =>
      settle({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    )
  })
}

const ok = async (...args: string[]): Promise<string> => {
  const ended = await cli(...args)
  expect(ended, args.join(' ')).toMatchObject({ code: 0 })
  return ended.stdout
}

/** What `--json` prints: an object a line. */
const events = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

const logged = (stdout: string) =>
  events(stdout).flatMap(({ event, message }) => (event === 'log' ? [message] : []))

interface Listed {
  resources: { id: string; status: string; latest_revision_id: string }[]
}

const read = async <T>(path: string) => (await runyard.call('GET', path)).body as T

async function deployed(name: string) {
  const found = await read<Listed>(`/v2/deployments?name=${name}`)
  const deployment = found.resources[0]
  if (!deployment) throw new Error(`There is no deployment ${name}.`)
  return deployment
}

/** What the builder wrote, without the times and the empty lines: the CLI shows none. */
async function buildLog(revision_id: string): Promise<string[]> {
  const path = join(runyard.dataDir, 'builds/revisions', revision_id, 'build.log')
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  return lines.map((line) => line.slice(line.indexOf(' ') + 1)).filter((line) => line !== '')
}

const deploy = (name: string, ...more: string[]) => {
  const config = ['--config', 'langgraph.json', '--name', name]
  return cli('--remote', '--no-input', '--json', '--verbose', ...config, ...more)
}

describe('langgraphjs deploy', { timeout: DEPLOY_MS }, () => {
  it('deploys, lists, shows logs and deletes', async () => {
    const { code, stdout } = await deploy('official')
    const told = events(stdout)
    const { id, latest_revision_id } = await deployed('official')
    expect(told.at(-1)).toMatchObject({ event: 'result', status: 'succeeded', deployment_id: id })
    expect(code).toBe(0)
    const shown = logged(stdout)
    expect(shown).toEqual(await buildLog(latest_revision_id))
    expect(shown.at(-1)).toBe('Build succeeded.')

    expect(await ok('list')).toContain('official')
    expect(await ok('revisions', 'list', id)).toMatch(new RegExp(`${latest_revision_id}.*DEPLOYED`))

    const build = await ok('logs', '--deployment-id', id, '--type', 'build')
    expect(build).toMatch(/\[INFO\] Build succeeded\.\n$/)
    const one = await ok('logs', '--name', 'official', '--type', 'build', '-q', 'ENDED WELL')
    expect(one.trim().split('\n').slice(1)).toHaveLength(1)
    const none = await ok('logs', '--name', 'official', '--type', 'build', '--level', 'critical')
    expect(none).toContain('No log entries found.')
    await ok('logs', '--deployment-id', id)
    await ok('logs', '--deployment-id', id, '--revision-id', latest_revision_id, '--limit', '5')

    expect(await ok('delete', id, '--force')).toContain(`Deleted deployment ${id}`)
    await expect
      .poll(() => runyard.call('GET', `/v2/deployments/${id}`), { timeout: 120_000 })
      .toMatchObject({ status: 404 })
  })

  it('shows the whole log of a build that is over long before it has been read', async () => {
    const { code, stdout } = await deploy('long-log', '--build-command', 'seq -f line-%g 200')
    expect(code).toBe(0)
    const { latest_revision_id } = await deployed('long-log')
    const shown = logged(stdout)
    expect(shown).toEqual(await buildLog(latest_revision_id))
    expect(shown).toContain('line-200')
  })

  it('fails, with the end of the log, when the build fails', async () => {
    const { code, stdout } = await deploy('broken', '--build-command', 'node no-such-file.js')
    expect(code).toBe(1)
    expect(events(stdout).at(-1)).toMatchObject({ event: 'result', status: 'failed' })
    const { latest_revision_id } = await deployed('broken')
    expect(logged(stdout)).toEqual(await buildLog(latest_revision_id))
  })
})
