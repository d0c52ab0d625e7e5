import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const world = forEachTest(() => startControlPlane({ isReconciling: false }))

const secrets = [{ name: 'OPENAI_API_KEY', value: 'sk-test' }]
const repo_url = 'https://git.example.com/agent.git'

async function created(change: Record<string, unknown> = {}) {
  const { body } = await world.call('POST', '/v2/deployments', aCreateRequest(change))
  const path = `/v2/deployments/${body.id}`
  return {
    deployment: body,
    path,
    patch: (request: unknown, key?: string) => world.call('PATCH', path, request, key),
    revisions: async () => (await world.call('GET', `${path}/revisions`)).body.resources,
  }
}

/** A deployment of source `internal_source`, with a tarball that has arrived. */
async function createdFromTarball() {
  const world_ = await created({
    source: 'internal_source',
    source_config: {},
    source_revision_config: {},
  })
  const { body } = await world.call('POST', `${world_.path}/upload-url`)
  const upload = { method: 'PUT', body: gzipSync('tar') }
  expect((await fetch(body.upload_url, upload)).status).toBe(200)
  return { ...world_, source_tarball_path: body.object_path as string }
}

describe('changing a deployment', () => {
  it.each([
    ['source_revision_config', { source_revision_config: { repo_ref: 'next' } }],
    ['secrets', { secrets }],
    ['resource_spec', { source_config: { resource_spec: { cpu: 1 } } }],
    ['install_command', { source_config: { install_command: 'npm ci' } }],
    ['build_command', { source_config: { build_command: 'npm run build' } }],
  ])('makes a revision when %s changes', async (_what, request) => {
    const { deployment, patch, revisions } = await created()
    const { status, body } = await patch(request)
    expect(status).toBe(200)
    expect(body.latest_revision_id).not.toBe(deployment.latest_revision_id)
    expect((await revisions()).map((one: { id: string }) => one.id)).toEqual([
      body.latest_revision_id,
      deployment.latest_revision_id,
    ])
  })

  it.each([
    ['an empty patch', {}],
    ['nulls', { source_config: null, source_revision_config: { repo_ref: null }, secrets: null }],
    ['an empty list of secrets', { secrets: [] }],
    ['a display_name', { display_name: 'Support' }],
    ['build_on_push', { source_config: { build_on_push: true } }],
    ['custom_url', { source_config: { custom_url: 'https://example.org' } }],
    ['a revision_source alone', { revision_source: 'github' }],
    ['what it is already', { name: 'support', source: 'github', source_config: { repo_url } }],
    ['unknown fields', { tracked_packages: ['google-adk:1.0.0'] }],
  ])('makes no revision for %s', async (_what, request) => {
    const { deployment, patch, revisions } = await created({ secrets })
    const { status, body } = await patch(request)
    expect(status).toBe(200)
    expect(body.latest_revision_id).toBe(deployment.latest_revision_id)
    expect(body.secrets).toEqual(secrets)
    expect(body.source_config.custom_url).toBe(`${world.url}/agents/support`)
    expect(await revisions()).toHaveLength(1)
  })

  it('keeps what is not sent, and answers what was', async () => {
    const { patch, path } = await created({ secrets })
    const change = { display_name: 'Support', source_config: { build_on_push: true } }
    const { body } = await patch({ ...change, source_revision_config: { repo_ref: 'next' } })
    expect(body).toMatchObject({
      display_name: 'Support',
      secrets,
      source_config: { repo_url, build_on_push: true },
      source_revision_config: { repo_ref: 'next', langgraph_config_path: 'langgraph.json' },
    })
    expect((await world.call('GET', path)).body).toEqual(body)
  })

  it('empties the display_name by an empty text, and keeps it by null', async () => {
    const { deployment, patch } = await created()
    await patch({ display_name: 'Support' })
    expect((await patch({ display_name: null })).body.display_name).toBe('Support')
    const { status, body } = await patch({ display_name: '' })
    expect([status, body.display_name]).toEqual([200, null])
    expect(body.latest_revision_id).toBe(deployment.latest_revision_id)
  })

  it('replaces all secrets by a list that is not empty', async () => {
    const { patch } = await created({ secrets })
    const { body } = await patch({ secrets: [{ name: 'OTHER', value: 'x' }] })
    expect(body.secrets).toEqual([{ name: 'OTHER', value: 'x' }])
  })

  it('removes secrets by name, the last one too, with a revision', async () => {
    const { deployment, patch } = await created({ secrets })
    const unknown = await patch({ removed_secrets: ['OPENAI_KEY'] })
    expect([unknown.status, unknown.body.detail]).toEqual([
      400,
      'removed_secrets: there is no secret "OPENAI_KEY" to remove.',
    ])
    const { status, body } = await patch({ removed_secrets: ['OPENAI_API_KEY'] })
    expect([status, body.secrets]).toEqual([200, []])
    const revisions = await world.store.revisions.list(deployment.id, { limit: 10, offset: 0 })
    expect(revisions.map((one) => one.secrets)).toEqual([[], secrets])
  })

  it('takes a command away by an empty one, with a revision', async () => {
    const { patch, revisions } = await created()
    const given = { install_command: 'npm ci', build_command: 'make' }
    expect((await patch({ source_config: given })).body.source_config).toMatchObject(given)
    const { body } = await patch({ source_config: { install_command: '', build_command: '' } })
    expect(body.source_config).toMatchObject({ install_command: null, build_command: null })
    expect(await revisions()).toHaveLength(3)
  })

  it('gives a revision the secrets of its time', async () => {
    const { deployment, patch } = await created({ secrets })
    await patch({ secrets: [{ name: 'OTHER', value: 'x' }] })
    const revisions = await world.store.revisions.list(deployment.id, { limit: 10, offset: 0 })
    expect(revisions.map((one) => one.secrets)).toEqual([[{ name: 'OTHER', value: 'x' }], secrets])
  })

  it.each([
    [{ resource_spec: { cpu: 1 } }, ['resource_spec'], 'source_config.resource_spec'],
    [{ max_scale: 2 }, ['max_scale'], 'source_config.resource_spec.max_scale'],
    [
      { source_config: { memory_mb: 256 } },
      ['source_config', 'memory_mb'],
      'source_config.resource_spec.memory_mb',
    ],
    [
      { source_revision_config: { resource_spec: {} } },
      ['source_revision_config', 'resource_spec'],
      'source_config.resource_spec',
    ],
  ])('refuses resources in a wrong place, with the right one: %j', async (fields, loc, place) => {
    const { deployment, patch, revisions } = await created()
    const body = { name: 'other', source: 'github', ...fields }
    const made = { source_config: { repo_url }, source_revision_config: {}, secrets: [], ...body }
    for (const { status, body: answer } of [
      await patch(fields),
      await world.call('POST', `/v2/deployments/${deployment.id}/revisions`, fields),
      await world.call('POST', '/v2/deployments', made),
    ]) {
      expect(status).toBe(422)
      expect(answer.detail).toEqual([
        {
          loc: ['body', ...loc],
          msg: `Nothing is read here. Put it into ${place}`,
          type: 'misplaced',
        },
      ])
    }
    expect((await patch({ resource_spec: null })).status).toBe(200)
    expect(await revisions()).toHaveLength(1)
  })

  it('replaces the resource_spec as a whole', async () => {
    const resource_spec = { cpu: 1, memory_mb: 512 }
    const { patch } = await created({ source_config: { repo_url, resource_spec } })
    const { body } = await patch({ source_config: { resource_spec: { cpu: 2 } } })
    expect(body.source_config.resource_spec).toEqual({ cpu: 2 })
  })

  it.each([
    ['another name', { name: 'other' }, 'name cannot be changed'],
    ['another source', { source: 'internal_source' }, 'source cannot be changed'],
    ['another repo_url', { source_config: { repo_url: 'https://a/b' } }, 'repo_url cannot be'],
    ['another type', { source_config: { deployment_type: 'dev' } }, 'deployment_type cannot be'],
    ['a docker revision', { revision_source: 'internal_docker', secrets }, 'container runtime'],
    ['a reserved secret', { secrets: [{ name: 'PORT', value: '1' }] }, 'PORT is reserved'],
    [
      'a tag for what builds on push',
      {
        source_config: { build_on_push: true },
        source_revision_config: { repo_ref: 'refs/tags/v1' },
      },
      'build_on_push needs a branch',
    ],
    [
      'a path that climbs out',
      { source_revision_config: { langgraph_config_path: '../langgraph.json' } },
      'relative path inside the source',
    ],
    [
      'references to Kubernetes secrets',
      { secret_references: [{ name: 'A', secret_name: 'b', secret_key: 'c' }] },
      'secret_references are only for',
    ],
  ])('answers 400 for %s and changes nothing', async (_what, request, detail) => {
    const { deployment, patch, path } = await created()
    const { status, body } = await patch({ display_name: 'changed', ...request })
    expect(body.detail).toContain(detail)
    expect(status).toBe(400)
    expect((await world.call('GET', path)).body).toEqual(deployment)
  })

  it('refuses build_on_push alone when the revision is at a tag', async () => {
    const source_revision_config = {
      repo_ref: 'refs/tags/v1',
      langgraph_config_path: 'langgraph.json',
    }
    const { patch } = await created({ source_revision_config })
    const { status, body } = await patch({ source_config: { build_on_push: true } })
    expect(status).toBe(400)
    expect(body.detail).toContain('build_on_push needs a branch')
  })

  it.each([
    ['a display_name of two lines', { display_name: 'a\nb' }, 'display_name'],
    ['secrets of the wrong type', { secrets: 'a' }, 'secrets'],
    ['an unknown revision_source', { revision_source: 'external_docker' }, 'revision_source'],
    ['a list', [], undefined],
  ])('answers 422 for %s', async (_what, request, field) => {
    const { patch } = await created()
    const { status, body } = await patch(request)
    expect(status).toBe(422)
    expect(body.detail[0].loc).toEqual(['body', field].filter((part) => part !== undefined))
  })

  it('answers 409 while the deployment is being deleted', async () => {
    const { deployment, patch, path } = await created()
    expect((await world.call('DELETE', path)).status).toBe(204)
    const revision = `${path}/revisions/${deployment.latest_revision_id}`
    const refused = await Promise.all([
      patch({ secrets }),
      world.call('POST', `${path}/upload-url`),
      world.call('POST', `${revision}/redeploy`),
    ])
    for (const { status, body } of refused) {
      expect(status).toBe(409)
      expect(body.detail).toContain('is being deleted')
    }
    expect((await world.call('GET', path)).body.status).toBe('AWAITING_DELETE')
    expect((await world.call('DELETE', path)).status).toBe(204)
  })

  it('answers 404 for an unknown deployment', async () => {
    const id = '11111111-1111-1111-1111-111111111111'
    for (const method of ['PATCH', 'DELETE']) {
      const { status, body } = await world.call(method, `/v2/deployments/${id}`, {})
      expect(status).toBe(404)
      expect(body.detail).toBe(`Deployment ID ${id} not found.`)
    }
  })
})

describe('a tarball', () => {
  it('becomes the first revision by the PATCH that names it', async () => {
    const { patch, source_tarball_path } = await createdFromTarball()
    const { status, body } = await patch({
      revision_source: 'internal_source',
      source_revision_config: { source_tarball_path, langgraph_config_path: 'a/langgraph.json' },
      secrets,
    })
    expect(status).toBe(200)
    expect(body.latest_revision_id).not.toBeNull()
    expect(body.source_revision_config).toMatchObject({
      source_tarball_path,
      langgraph_config_path: 'a/langgraph.json',
    })
  })

  it('is looked for at langgraph.json when nothing else is said', async () => {
    const { patch, source_tarball_path } = await createdFromTarball()
    const { body } = await patch({ source_revision_config: { source_tarball_path } })
    expect(body.source_revision_config.langgraph_config_path).toBe('langgraph.json')
  })

  it('stays for the revisions after it', async () => {
    const { patch, source_tarball_path } = await createdFromTarball()
    await patch({ source_revision_config: { source_tarball_path } })
    const { body } = await patch({ secrets })
    expect(body.source_revision_config.source_tarball_path).toBe(source_tarball_path)
  })

  it('may be one revision of a git deployment', async () => {
    const { deployment, patch, path } = await created()
    const { body } = await world.call('POST', `${path}/upload-url`)
    await fetch(body.upload_url, { method: 'PUT', body: gzipSync('tar') })
    const patched = await patch({
      revision_source: 'internal_source',
      source_revision_config: { source_tarball_path: body.object_path },
    })
    expect(patched.body).toMatchObject({
      source: 'github',
      source_revision_config: {
        repo_ref: null,
        source_tarball_path: body.object_path,
        langgraph_config_path: 'langgraph.json',
      },
    })
    const revision = `${path}/revisions/${patched.body.latest_revision_id}`
    expect((await world.call('GET', revision)).body.source).toBe('internal_source')
    expect(deployment.source).toBe('github')
  })

  it.each([
    ['none at all', async () => ({ secrets }), 'source_tarball_path is required'],
    [
      'one that nobody handed out',
      async () => ({ source_revision_config: { source_tarball_path: '../../etc/passwd' } }),
      'must be an object_path that upload-url of this deployment answered',
    ],
    [
      "another deployment's",
      async () => {
        const other = await created({ name: 'other' })
        const { body } = await world.call('POST', `${other.path}/upload-url`)
        return { source_revision_config: { source_tarball_path: body.object_path } }
      },
      'must be an object_path that upload-url of this deployment answered',
    ],
    [
      'a git revision without a repository',
      async () => ({ revision_source: 'github', source_revision_config: { repo_ref: 'main' } }),
      'needs a repo_url',
    ],
    [
      'building on push',
      async () => ({ source_config: { build_on_push: true } }),
      'build_on_push is only for',
    ],
  ])('is refused with 400: %s', async (_what, request, detail) => {
    const { patch } = await createdFromTarball()
    const { status, body } = await patch(await request())
    expect(body.detail).toContain(detail)
    expect(status).toBe(400)
  })

  it('is refused with 400 before it has arrived', async () => {
    const { patch, path } = await createdFromTarball()
    const { body } = await world.call('POST', `${path}/upload-url`)
    const refused = await patch({
      source_revision_config: { source_tarball_path: body.object_path },
    })
    expect(refused.status).toBe(400)
    expect(refused.body.detail).toContain('has not arrived')
  })

  it('has to be uploaded again when it went with a revision that failed', async () => {
    const { patch, source_tarball_path } = await createdFromTarball()
    await patch({ source_revision_config: { source_tarball_path } })
    await world.store.uploads.delete(source_tarball_path)
    const refused = await patch({ secrets })
    expect(refused.status).toBe(400)
    expect(refused.body.detail).toContain(`${source_tarball_path}, is not kept`)
    expect(refused.body.detail).toContain('upload it again')
  })
})
