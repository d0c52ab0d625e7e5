import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const BEFORE = 'a'.repeat(40)
const AFTER = 'b'.repeat(40)

let path: string
let id: string
let secret: string
let url: string

const world = forEachTest(() => startControlPlane({ isReconciling: false }))
beforeEach(async () => {
  ;({ id } = await create({ build_on_push: true }))
  path = `/v2/deployments/${id}`
  ;({ secret, url } = (await world.call('POST', `${path}/push-webhook`)).body)
})

async function create(
  source_config: object,
  more: Record<string, unknown> = {},
): Promise<{ id: string }> {
  const request = aCreateRequest(more)
  const config = { ...Object(request.source_config), ...source_config }
  return (await world.call('POST', '/v2/deployments', { ...request, source_config: config })).body
}

const push = (more: object = {}) => ({
  ref: 'refs/heads/main',
  before: BEFORE,
  after: AFTER,
  repository: { default_branch: 'main' },
  ...more,
})

/** Sends as GitHub does; `body` as it is when it is a text. */
async function github(body: unknown, headers: Record<string, string> = {}, to = url) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const signature = createHmac('sha256', secret).update(text).digest('hex')
  return post(to, text, {
    'x-github-event': 'push',
    'x-hub-signature-256': `sha256=${signature}`,
    'content-type': 'application/json',
    ...headers,
  })
}

async function post(to: string, body: string, headers: Record<string, string>) {
  const response = await fetch(to, { method: 'POST', body, headers })
  return { status: response.status, body: await response.json() }
}

const revisions = async () => (await world.call('GET', `${path}/revisions`)).body.resources

describe('a push', () => {
  it('of GitHub’s form makes a revision from the head of its branch', async () => {
    const { status, body } = await github(push())
    expect(status).toBe(200)
    const [newest, ...older] = await revisions()
    expect(body).toEqual({ status: 'accepted', revision_id: newest.id })
    expect(older).toHaveLength(1)
    expect(newest).toMatchObject({
      status: 'CREATING',
      source_revision_config: { repo_ref: 'main', repo_commit_sha: null },
    })
  })

  it('of GitHub’s form may come as a form', async () => {
    const form = new URLSearchParams({ payload: JSON.stringify(push()) }).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await github(form, type)).body).toMatchObject({ status: 'accepted' })
  })

  it('of GitLab’s form makes one too', async () => {
    const { repository, ...rest } = push()
    const headers = { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': secret }
    const body = JSON.stringify({ ...rest, project: repository })
    expect((await post(url, body, headers)).body).toMatchObject({ status: 'accepted' })
  })

  it('is in the audit log', async () => {
    await github(push())
    const { items } = (await world.call('GET', '/v2/audit-log?action=revision.create')).body
    expect(items).toMatchObject([
      { actor_kind: 'push_webhook', target_name: 'support', detail: { commit: AFTER } },
    ])
  })

  it.each([
    ['no signature', { 'x-hub-signature-256': '' }],
    ['another signature', { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }],
  ])('with %s is refused', async (_what, headers) => {
    const refused = { status: 403, body: { detail: expect.stringContaining('not signed') } }
    expect(await github(push(), headers)).toEqual(refused)
    expect(await github(push(), headers, url.replace(id, 'nonsense'))).toEqual(refused)
    expect(await post(url, JSON.stringify(push()), { 'x-gitlab-token': 'guess' })).toEqual(refused)
    expect(await revisions()).toHaveLength(1)
  })

  it.each([
    ['another branch', push({ ref: 'refs/heads/other' })],
    ['nonsense', 'nonsense'],
  ])('of %s makes no revision, and says why', async (_what, body) => {
    expect(await github(body)).toMatchObject({
      status: 200,
      body: { status: 'ignored', reason: expect.stringMatching(/: no revision was made\.$/) },
    })
    expect(await revisions()).toHaveLength(1)
  })

  it('makes none without build_on_push', async () => {
    await world.call('PATCH', path, { source_config: { build_on_push: false } })
    const reason = expect.stringContaining('build_on_push is not true')
    expect((await github(push())).body).toEqual({ status: 'ignored', reason })
  })
})

describe('the webhook’s secret', () => {
  it('is another one each time, and the one before no longer works', async () => {
    const { body } = await world.call('POST', `${path}/push-webhook`)
    expect((await github(push())).status).toBe(403)
    secret = body.secret
    expect((await github(push())).status).toBe(200)
  })

  it('works no longer once it was taken away', async () => {
    expect((await world.call('DELETE', `${path}/push-webhook`)).status).toBe(204)
    expect((await github(push())).status).toBe(403)
  })

  it('is not made for a deployment that comes from no repository', async () => {
    const request = { name: 'tarball', source: 'internal_source', source_config: {} }
    const sent = { ...request, source_revision_config: {}, secrets: [] }
    const tarball = (await world.call('POST', '/v2/deployments', sent)).body
    expect(await world.call('POST', `/v2/deployments/${tarball.id}/push-webhook`)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('only one of source github') },
    })
  })
})
