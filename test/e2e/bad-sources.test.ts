/** Sources that cannot be deployed, through HTTP and with the real builder: each gets its reason. */
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ControlPlaneClient } from '../../client/src/client.ts'
import { MAX_TARBALL_BYTES } from '../../src/core/deployment/upload.ts'
import { createGitRepository } from '../support/control-plane/git-repository.ts'
import { type Entry, tar } from '../support/control-plane/hostile-tar.ts'
import { startRunyard, type TestRunyard } from '../support/processes/runyard.ts'

let runyard: TestRunyard
let client: ControlPlaneClient
let count = 0
beforeAll(async () => {
  runyard = await startRunyard()
  client = new ControlPlaneClient({ url: runyard.url, apiKey: runyard.adminKey })
})
afterAll(async () => {
  expect((await fetch(`${runyard.url}/ok`)).status).toBe(200)
  await runyard.stop()
})

async function emptyDeployment() {
  return client.createDeployment({
    name: `bad-${++count}`,
    source: 'internal_source',
    source_config: {},
    source_revision_config: {},
    secrets: [],
  })
}

/** Deploys the tarball; answers the failed revision's status and message in one text. */
async function failure(tarball: Uint8Array): Promise<string> {
  const { id } = await emptyDeployment()
  const upload = await client.requestUpload(id)
  await client.upload(upload, new Uint8Array(tarball))
  const patched = await client.patchDeployment(id, {
    source_revision_config: {
      source_tarball_path: upload.object_path,
      langgraph_config_path: 'langgraph.json',
    },
  })
  const revision = await runyard.untilOver({
    id,
    latest_revision_id: String(patched.latest_revision_id),
  })
  return `${revision.status}: ${revision.status_message}`
}

const packed = (...entries: Entry[]) => gzipSync(tar(...entries))
const config = (graphs: object): Entry => ({
  path: 'langgraph.json',
  content: JSON.stringify({ graphs }),
})

describe('a tarball that climbs out of its folder fails and names the entry', () => {
  it.each<[string, Entry]>([
    ['a parent folder', { path: '../outside.txt', content: 'x' }],
    ['an absolute path', { path: '/tmp/outside.txt', content: 'x' }],
    ['a symbolic link to outside', { path: 'link', type: 'SymbolicLink', linkpath: '../../etc' }],
    ['an absolute link', { path: 'link', type: 'SymbolicLink', linkpath: '/etc/passwd' }],
    ['a hard link to outside', { path: 'link', type: 'Link', linkpath: '../../../etc/passwd' }],
  ])('%s', async (_, entry) => {
    const reason = await failure(packed(config({ agent: './agent.js:graph' }), entry))
    expect(reason).toMatch(/^BUILD_FAILED: .*unpack/is)
    expect(reason).toContain(entry.path)
  })
})

describe('a configuration that does not work fails and says what to write', () => {
  it.each<[string, Entry[], RegExp]>([
    ['none at all', [{ path: 'agent.js', content: '' }], /langgraph\.json/],
    ['one that is not JSON', [{ path: 'langgraph.json', content: '{' }], /langgraph\.json.*JSON/is],
    ['one that names a missing file', [config({ agent: './gone.js:graph' })], /gone\.js/],
    ['one that climbs out', [config({ agent: '../../x.js:graph' })], /\.\.\/\.\.\/x\.js/],
  ])('%s', async (_, entries, wanted) => {
    const reason = await failure(packed(...entries))
    expect(reason).toMatch(/^BUILD_FAILED/)
    expect(reason).toMatch(wanted)
  })
})

describe('an upload', () => {
  it('is refused when it is no tarball', async () => {
    const upload = await client.requestUpload((await emptyDeployment()).id)
    const bytes = new TextEncoder().encode('not a tarball')
    await expect(client.upload(upload, bytes)).rejects.toThrow(/HTTP 400: .*gzip/)
  })

  it('is refused when it is too large, before it is sent', async () => {
    const upload = await client.requestUpload((await emptyDeployment()).id)
    const answer = await announce(upload.upload_url, MAX_TARBALL_BYTES + 1)
    expect(answer).toEqual({
      status: 413,
      detail: expect.stringContaining(String(MAX_TARBALL_BYTES)),
    })
  })

  it('that was never sent makes no revision', async () => {
    const { id } = await emptyDeployment()
    const upload = await client.requestUpload(id)
    const patch = { source_revision_config: { source_tarball_path: upload.object_path } }
    await expect(client.patchDeployment(id, patch)).rejects.toThrow(/HTTP 400/)
    expect((await client.getDeployment(id)).latest_revision_id).toBeNull()
  })
})

it('a repository that is not there, and a ref that is not there, fail with their names', async () => {
  const repository = createGitRepository('test/fixtures/projects/commonjs')
  const create = async (repo_url: string, repo_ref: string) => {
    const created = await client.createDeployment({
      name: `bad-${++count}`,
      source: 'github',
      source_config: { repo_url },
      source_revision_config: { repo_ref, langgraph_config_path: 'langgraph.json' },
      secrets: [],
    })
    return runyard.untilOver({
      id: created.id,
      latest_revision_id: String(created.latest_revision_id),
    })
  }
  const gone = await create('file:///nowhere/at-all', 'main')
  expect(gone).toMatchObject({ status: 'BUILD_FAILED' })
  expect(gone.status_message).toContain('/nowhere/at-all')
  const noRef = await create(repository.url, 'no-such-branch')
  expect(noRef).toMatchObject({ status: 'BUILD_FAILED' })
  expect(noRef.status_message).toContain('no-such-branch')
  repository.remove()
})

/** A PUT that announces its size and sends nothing. */
async function announce(url: string, bytes: number): Promise<{ status: number; detail: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/gzip', 'content-length': bytes }
    const put = request(url, { method: 'PUT', headers }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      put.destroy()
      resolve({ status: response.statusCode ?? 0, detail: JSON.parse(text).detail })
    })
    put.on('error', reject)
    put.flushHeaders()
  })
}
