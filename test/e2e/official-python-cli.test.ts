/** The official CLI of LangGraph for Python, unchanged, deploys a project in Python to a whole Runyard. */
import { execFile } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installPython, NO_PYTHON, pathWithUv } from '../support/hosts/python.ts'
import { writePythonProject } from '../support/hosts/python-project.ts'
import { startRunyard, type TestRunyard } from '../support/processes/runyard.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const REQUIREMENTS = new URL('../peer/langgraph-cli/requirements.txt', import.meta.url)
const DEPLOY_MS = 240_000
const skipped = NO_PYTHON ? ` (skipped: ${NO_PYTHON})` : ''

interface Listed {
  resources: { id: string; latest_revision_id: string }[]
}

describe.skipIf(NO_PYTHON)(`langgraph deploy${skipped}`, { timeout: DEPLOY_MS }, () => {
  let runyard: TestRunyard
  let python: string
  const folder = temporaryFolder()
  beforeAll(async () => {
    python = await installPython(REQUIREMENTS)
    runyard = await startRunyard({ env: { PATH: await pathWithUv() } })
  }, DEPLOY_MS)
  afterAll(async () => {
    await runyard.stop()
  })

  /** `langgraph deploy …` in the project's folder, with the admin key: exit code and output. */
  function cli(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      LANGSMITH_API_KEY: runyard.adminKey,
      LANGGRAPH_CLI_NO_ANALYTICS: '1',
    }
    const command = ['-m', 'langgraph_cli', 'deploy', ...args, '--host-url', runyard.url]
    return new Promise((settle) => {
      const options = { cwd: folder, env, timeout: DEPLOY_MS }
      execFile(python, command, options, (error, stdout, stderr) =>
        settle({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
      )
    })
  }

  const deploy = (name = 'official') =>
    cli('--remote', '--no-input', '--json', '--verbose', '--name', name)

  /** What `--json` prints: an object a line. */
  const events = (stdout: string) =>
    stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)

  async function ask(): Promise<unknown> {
    const input = { messages: [{ role: 'user', content: 'hello' }] }
    const path = '/agents/official/runs/wait'
    const { body } = await runyard.call('POST', path, { assistant_id: 'agent', input })
    return (body as { messages: { content: string }[] }).messages.at(-1)?.content
  }

  it('creates, updates, lists, shows logs and deletes', async () => {
    writePythonProject(folder, { answer: 'one' })
    const created = await deploy()
    expect(created, created.stderr).toMatchObject({ code: 0 })
    expect(events(created.stdout).at(-1)).toMatchObject({ event: 'result', status: 'succeeded' })
    expect(await ask()).toBe('one')

    writePythonProject(folder, { answer: 'two' })
    expect(await deploy()).toMatchObject({ code: 0 })
    expect(await ask()).toBe('two')

    const found = (await runyard.call('GET', '/v2/deployments?name=official')).body as Listed
    const { id = '', latest_revision_id } = found.resources[0] ?? {}
    expect((await cli('list')).stdout).toContain('official')
    const revisions = await cli('revisions', 'list', id)
    expect(revisions.stdout).toMatch(new RegExp(`${latest_revision_id}.*DEPLOYED`))
    const build = await cli('logs', '--deployment-id', id, '--type', 'build')
    expect(build.stdout).toContain('LangGraph: 1.2.24 (Python).')
    expect(await cli('delete', id, '--force')).toMatchObject({ code: 0 })
  })

  it('says what the resolver said', async () => {
    const more = { 'pyproject.toml': '', 'requirements.txt': 'langgraph==99.0.1\n' }
    writePythonProject(folder, { more })
    // The other one may still be on its way out, with its name.
    const { code, stdout, stderr } = await deploy('unresolved')
    expect(code).not.toBe(0)
    expect(stdout + stderr).toContain('there is no version of langgraph==99.0.1')
  })
})
