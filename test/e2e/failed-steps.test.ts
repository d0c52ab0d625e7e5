/** What a build's commands see, and what is told when a step fails: through HTTP, really built. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ControlPlaneClient, type Revision } from '../../client/src/client.ts'
import { createGitRepository, type GitRepository } from '../support/control-plane/git-repository.ts'
import { startRunyard, type TestRunyard } from '../support/processes/runyard.ts'

/** It is a variable of the control plane, and so is all that begins like it. */
const ENCRYPTION_KEY = randomBytes(32).toString('base64')
const PROJECT = 'test/fixtures/projects/echo'

let runyard: TestRunyard
let client: ControlPlaneClient
let repository: GitRepository
beforeAll(async () => {
  const env = { RUNYARD_ENCRYPTION_KEY: ENCRYPTION_KEY, RUNYARD_ADMIN_KEY: 'an-admin-key-of-ours' }
  runyard = await startRunyard({ env })
  client = new ControlPlaneClient({ url: runyard.url, apiKey: runyard.adminKey })
  repository = createGitRepository(PROJECT)
})
afterAll(async () => {
  await runyard.stop()
  repository.remove()
})

let count = 0
async function deploy(commands: object, secrets: { name: string; value: string }[] = []) {
  const created = await client.createDeployment({
    name: `step-${++count}`,
    source: 'github',
    source_config: { repo_url: repository.url, ...commands },
    source_revision_config: { repo_ref: 'main', langgraph_config_path: 'langgraph.json' },
    secrets,
  })
  const latest_revision_id = String(created.latest_revision_id)
  const revision = await runyard.untilOver({ id: created.id, latest_revision_id })
  return { id: created.id, revision }
}

async function buildLog(id: string, revision: Revision): Promise<string> {
  const path = `/v1/projects/${id}/revisions/${revision.id}/build_logs`
  return JSON.stringify((await runyard.call('POST', path, {})).body)
}

describe('a step that fails', () => {
  const failing = 'echo no such compiler; exit 7'
  it.each([
    ['install', { install_command: failing }],
    ['build', { install_command: 'true', build_command: failing }],
  ])('is told of with its name, its cause and its last lines: %s', async (step, commands) => {
    const { revision } = await deploy(commands)
    expect(revision.status).toBe('BUILD_FAILED')
    expect(revision.status_message).toMatch(new RegExp(`^${step}: `))
    expect(revision.status_message).toContain('ended with exit code 7')
    const [first] = revision.status_message?.split('\n') ?? []
    expect(first).toContain(`${step}: no such compiler (`)
  })

  it('leaves the values of secrets out of what is told', async () => {
    const secrets = [{ name: 'TOKEN', value: 'sesame-open-sesame' }]
    const { id, revision } = await deploy({ install_command: 'echo $TOKEN; exit 1' }, secrets)
    expect(revision.status_message).toContain('install')
    expect(revision.status_message).not.toContain('sesame')
    expect(await buildLog(id, revision)).not.toContain('sesame')
  })

  /** Only their versions are looked at. */
  const installed = (version: string) =>
    Object.entries({ langgraph: version, core: '1.2.0' })
      .map(([name, its]) => [`node_modules/@langchain/${name}`, its])
      .map(([at, its]) => `mkdir -p ${at}; echo '{"version":"${its}"}' > ${at}/package.json`)
      .join(';')

  it('is the start, when the project throws: with the sentence and where it was thrown', async () => {
    const { id, revision } = await deploy({
      install_command: installed('1.4.0'),
      build_command: `echo "console.log('on paper');throw new Error('no ink')" > graph.ts`,
    })
    expect(revision.status).toBe('DEPLOY_FAILED')
    expect(revision.status_message).toBe(
      'start: Graph "agent": ./graph.ts could not be loaded: Error: no ink\n' +
        '    at <anonymous> (graph.ts:1:31)\non paper',
    )
    expect(await buildLog(id, revision)).toMatch(/Bundled \d+ files|could not bundle/)
  })

  it.each([
    ['has a typo', 'const = 1', '7: Expected identifier but found "="'],
    ['imports a file that is not there', 'import "./tols.ts"', '8: Could not resolve "./tols.ts"'],
  ])('is the build, when a file %s: with its line and column', async (_what, code, problem) => {
    const { id, revision } = await deploy({
      install_command: installed('1.4.0'),
      build_command: `echo '${code}' > tools.ts; echo "import './tools.ts'" > graph.ts`,
    })
    expect(revision).toMatchObject({
      status: 'BUILD_FAILED',
      status_message: `build: tools.ts:1:${problem}`,
    })
    expect(await buildLog(id, revision)).not.toContain('Build succeeded')
  })

  it('is the install, when LangGraph is too old: with what mends it, before all else', async () => {
    const { id, revision } = await deploy({ install_command: installed('0.2.11') })
    expect(revision).toMatchObject({
      status: 'BUILD_FAILED',
      status_message:
        'install: The project has @langchain/langgraph 0.2.11, and Runyard needs 0.2.57 or newer: ' +
        'run `npm install @langchain/langgraph@0.4 @langchain/core@0.3`.',
    })
    const log = await buildLog(id, revision)
    expect(log).toContain('The step install failed: The project has @langchain/langgraph 0.2.11')
    expect(log).not.toMatch(/undled/)
  })
})

it('a build’s commands see none of Runyard’s own variables', async () => {
  const { id, revision } = await deploy({ install_command: 'env; exit 1' })
  const log = await buildLog(id, revision)
  expect(log).toContain('PATH=')
  expect(log).not.toContain(ENCRYPTION_KEY)
  expect(log).not.toContain('an-admin-key-of-ours')
  expect(log).not.toMatch(/RUNYARD_\w+=/)
})
