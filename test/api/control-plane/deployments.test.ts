import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { DeploymentSchema } from '../../../src/control-plane/deployments/deployment-schemas.ts'
import { DEFAULT_WORKSPACE_ID } from '../../../src/core/people/api-key.ts'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const world = forEachTest(() => startControlPlane({ isReconciling: false }))

const create = (change: Record<string, unknown> = {}, key?: string) =>
  world.call('POST', '/v2/deployments', aCreateRequest(change), key)

describe('creating a deployment', () => {
  it('answers 201 with the deployment and its first revision', async () => {
    const secrets = [{ name: 'OPENAI_API_KEY', value: 'sk-test' }]
    const { status, body } = await create({ secrets })
    expect(status).toBe(201)
    expect(DeploymentSchema.parse(body)).toEqual(body)
    expect(body).toEqual({
      id: expect.any(String),
      tenant_id: DEFAULT_WORKSPACE_ID,
      name: 'support',
      display_name: null,
      source: 'github',
      source_config: {
        integration_id: null,
        repo_url: 'https://git.example.com/agent.git',
        deployment_type: 'prod',
        build_on_push: false,
        custom_url: `${world.url}/agents/support`,
        resource_spec: null,
        listener_id: null,
        listener_config: null,
        parked_threads: null,
        webhooks: [],
        install_command: null,
        build_command: null,
      },
      source_revision_config: {
        repo_ref: 'main',
        langgraph_config_path: 'langgraph.json',
        image_uri: null,
        source_tarball_path: null,
        repo_commit_sha: null,
        image_digest: null,
      },
      secrets,
      secret_references: null,
      status: 'AWAITING_DATABASE',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      latest_revision_id: expect.any(String),
      active_revision_id: null,
      image_version: null,
      is_public: false,
      url: `${world.url}/agents/support`,
      addresses: [`${world.url}/agents/support`],
      is_managed_deep_agent: false,
    })
    const path = `/v2/deployments/${body.id}/revisions/${body.latest_revision_id}`
    expect((await world.call('GET', path)).body.status).toBe('CREATING')
  })

  it('makes no revision for a tarball deployment before there is a tarball', async () => {
    const { status, body } = await create({
      source: 'internal_source',
      source_config: { deployment_type: 'dev' },
      source_revision_config: {},
    })
    expect(status).toBe(201)
    expect(body.latest_revision_id).toBeNull()
    expect(body.source_config.deployment_type).toBe('dev')
    const revisions = await world.call('GET', `/v2/deployments/${body.id}/revisions`)
    expect(revisions.body).toEqual({ resources: [], offset: 0 })
  })

  it('keeps a resource_spec, with CPUs rounded to one decimal', async () => {
    const resource_spec = { cpu: 0.54, memory_mb: 512, labels: { team: 'a' }, unheard_of: 1 }
    const repo_url = 'https://git.example.com/agent.git'
    const { body } = await create({ source_config: { repo_url, resource_spec } })
    expect(body.source_config.resource_spec).toEqual({
      cpu: 0.5,
      memory_mb: 512,
      labels: { team: 'a' },
    })
  })

  it('ignores fields that it does not know', async () => {
    expect((await create({ route_through_gateway: true })).status).toBe(201)
  })

  it('refuses a name that is taken, in whatever workspace, and tells nothing else', async () => {
    await create()
    const other = await world.keyOf('developer', randomUUID())
    for (const key of [world.adminKey, other]) {
      const { status, body } = await create({}, key)
      expect(status).toBe(409)
      expect(body).toEqual({ detail: 'The deployment name support is taken; choose another one.' })
    }
  })

  it('refuses a second name that is the same as a host name', async () => {
    await create({ name: 'my_agent' })
    expect((await create({ name: 'my-agent' })).status).toBe(409)
  })

  it.each([
    ['no body', undefined, ['body']],
    ['no name', aCreateRequest({ name: undefined }), ['body', 'name']],
    ['a number for a name', aCreateRequest({ name: 7 }), ['body', 'name']],
    ['an empty name', aCreateRequest({ name: '' }), ['body', 'name']],
    ['an upper-case name', aCreateRequest({ name: 'Support' }), ['body', 'name']],
    ['a name that ends with -', aCreateRequest({ name: 'support-' }), ['body', 'name']],
    ['a name of 64 characters', aCreateRequest({ name: 'a'.repeat(64) }), ['body', 'name']],
    ['a name with a NUL byte', aCreateRequest({ name: 'a\0b' }), ['body', 'name']],
    ['an unknown source', aCreateRequest({ source: 'floppy' }), ['body', 'source']],
    ['no source_config', aCreateRequest({ source_config: null }), ['body', 'source_config']],
    ['no secrets', aCreateRequest({ secrets: undefined }), ['body', 'secrets']],
    ['secrets that are no list', aCreateRequest({ secrets: {} }), ['body', 'secrets']],
    [
      'a secret without a value',
      aCreateRequest({ secrets: [{ name: 'A' }] }),
      ['body', 'secrets', 0, 'value'],
    ],
    [
      'a secret with a NUL byte',
      aCreateRequest({ secrets: [{ name: 'A', value: 'a\0b' }] }),
      ['body', 'secrets', 0, 'value'],
    ],
    [
      'a secret of more than 64 KiB',
      aCreateRequest({ secrets: [{ name: 'A', value: 'x'.repeat(65_537) }] }),
      ['body', 'secrets', 0, 'value'],
    ],
    [
      'a secret whose name holds =',
      aCreateRequest({ secrets: [{ name: 'A=B', value: 'x' }] }),
      ['body', 'secrets', 0, 'name'],
    ],
    [
      '201 secrets',
      aCreateRequest({
        secrets: Array.from({ length: 201 }, (_, i) => ({ name: `A${i}`, value: 'x' })),
      }),
      ['body', 'secrets'],
    ],
    [
      'a CPU below the least',
      aCreateRequest({ source_config: { resource_spec: { cpu: 0 } } }),
      ['body', 'source_config', 'resource_spec', 'cpu'],
    ],
    [
      'a repo_url with a line break',
      aCreateRequest({ source_config: { repo_url: 'https://a/b\nc' } }),
      ['body', 'source_config', 'repo_url'],
    ],
    [
      'a repo_ref with a NUL byte',
      aCreateRequest({ source_revision_config: { repo_ref: 'a\0b' } }),
      ['body', 'source_revision_config', 'repo_ref'],
    ],
  ])('answers 422 and names the field for %s', async (_what, request, loc) => {
    const { status, body } = await world.call('POST', '/v2/deployments', request)
    expect(status).toBe(422)
    const place = expect.objectContaining({ msg: expect.any(String), type: expect.any(String) })
    expect(body.detail).toContainEqual(place)
    expect(body.detail.map((issue: { loc: unknown }) => issue.loc)).toContainEqual(
      expect.arrayContaining(loc),
    )
  })

  it('answers 422 for a body that is not JSON', async () => {
    const response = await fetch(`${world.url}/v2/deployments`, {
      method: 'POST',
      headers: { 'x-api-key': world.adminKey, 'content-type': 'application/json' },
      body: '{"name": ',
    })
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ detail: [{ loc: ['body'] }] })
  })

  it('answers 400 for a body that is not UTF-8, whole or in chunks', async () => {
    const body = Buffer.from(JSON.stringify(aCreateRequest({ name: 'caf\xe9' })), 'latin1')
    const headers = { 'x-api-key': world.adminKey, 'content-type': 'application/json' }
    const sent = { method: 'POST', headers }
    const chunked = { ...sent, body: new Blob([body]).stream(), duplex: 'half' } as RequestInit
    for (const init of [{ ...sent, body }, chunked]) {
      const response = await fetch(`${world.url}/v2/deployments`, init)
      expect(response.status).toBe(400)
      expect(await response.json()).toEqual({ detail: expect.stringContaining('UTF-8') })
    }
  })

  it('survives a body that is nested without end', async () => {
    const depth = 200_000
    const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`
    const spec = `{"repo_url":"https://a/b","resource_spec":{"volumes":[{"a":${nested}}]}}`
    const text = JSON.stringify(aCreateRequest({ source_config: 0 })).replace(
      '"source_config":0',
      `"source_config":${spec}`,
    )
    const response = await fetch(`${world.url}/v2/deployments`, {
      method: 'POST',
      headers: { 'x-api-key': world.adminKey, 'content-type': 'application/json' },
      body: text,
    })
    expect(response.status).toBe(422)
    expect((await world.call('GET', '/ok', undefined, null)).status).toBe(200)
  })

  it('answers 413 for a body of more than 20 MiB', async () => {
    const { status, body } = await create({ padding: 'x'.repeat(21 * 1024 * 1024) })
    expect(status).toBe(413)
    expect(body.detail).toContain('larger than')
  })

  const inChunks = async (text: string) => {
    const response = await fetch(`${world.url}/v2/deployments`, {
      method: 'POST',
      headers: { 'x-api-key': world.adminKey, 'content-type': 'application/json' },
      body: new Blob([text]).stream(),
      duplex: 'half',
    })
    return response.status
  }

  it('takes a body that comes in chunks, up to the same size', async () => {
    expect(await inChunks(JSON.stringify(aCreateRequest()))).toBe(201)
    expect(await inChunks('{"name"')).toBe(422)
    expect(await inChunks(' '.repeat(21 * 1024 * 1024))).toBe(413)
  })

  const repo_url = 'https://git.example.com/agent.git'
  const langgraph_config_path = 'langgraph.json'
  it.each([
    ['external_docker', { source: 'external_docker' }, 'container runtime driver'],
    ['github without a repo_url', { source_config: {} }, 'repo_url is required'],
    ['ext::', { source_config: { repo_url: 'ext::sh -c date' } }, 'repo_url must begin'],
    [
      'no configuration path',
      { source_revision_config: { repo_ref: 'main' } },
      'langgraph_config_path is required',
    ],
    [
      'a path that climbs out',
      { source_revision_config: { langgraph_config_path: 'a/../../b' } },
      'relative path inside the source',
    ],
    [
      'build_on_push of a tag',
      {
        source_config: { repo_url, build_on_push: true },
        source_revision_config: { repo_ref: 'refs/tags/v1', langgraph_config_path },
      },
      'build_on_push needs a branch',
    ],
    [
      'a tarball for github',
      { source_revision_config: { source_tarball_path: 'a', langgraph_config_path } },
      'source_tarball_path is only for',
    ],
    ['a repo_url for a tarball', { source: 'internal_source' }, 'repo_url is only for'],
    [
      'a tarball that cannot be there yet',
      {
        source: 'internal_source',
        source_config: {},
        source_revision_config: { source_tarball_path: 'a' },
      },
      'source_tarball_path is not known yet',
    ],
    [
      'references to Kubernetes secrets',
      { secret_references: [{ name: 'A', secret_name: 'b', secret_key: 'c' }] },
      'secret_references are only for',
    ],
    ['a reserved name', { secrets: [{ name: 'POSTGRES_URI', value: 'x' }] }, 'POSTGRES_URI is res'],
  ])('answers 400 for %s', async (_what, change, detail) => {
    const { status, body } = await create(change)
    expect(body.detail).toContain(detail)
    expect(status).toBe(400)
    expect((await world.call('GET', '/v2/deployments')).body.resources).toEqual([])
  })

  it('takes a file:// URL from an admin, and from nobody else', async () => {
    const source_config = { repo_url: 'file:///srv/agent.git' }
    const refused = await create({ source_config }, await world.keyOf('developer'))
    expect(refused.status).toBe(403)
    expect((await create({ source_config })).status).toBe(201)
  })
})

describe('reading deployments', () => {
  it('answers a deployment by its id, in upper case too', async () => {
    const created = (await create()).body
    for (const id of [created.id, created.id.toUpperCase()]) {
      expect(await world.call('GET', `/v2/deployments/${id}`)).toMatchObject({
        status: 200,
        body: created,
      })
    }
  })

  it('answers 404 for an unknown id and 422 for what is none', async () => {
    const id = '11111111-1111-1111-1111-111111111111'
    expect(await world.call('GET', `/v2/deployments/${id}`)).toMatchObject({
      status: 404,
      body: { detail: `Deployment ID ${id} not found.` },
    })
    expect(await world.call('GET', '/v2/deployments/nonsense')).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['path', 'deployment_id'], type: 'uuid_parsing' }] },
    })
  })

  it('lists page by page; a page that is empty is the end', async () => {
    for (const name of ['one', 'two', 'three']) await create({ name })
    const names: string[] = []
    let offset = 0
    for (;;) {
      const { body } = await world.call('GET', `/v2/deployments?limit=2&offset=${offset}`)
      if (body.resources.length === 0) break
      names.push(...body.resources.map((one: { name: string }) => one.name))
      offset = body.offset
    }
    expect(names.sort()).toEqual(['one', 'three', 'two'])
    expect(offset).toBe(3)
  })

  it('finds names, the whole one first', async () => {
    for (const name of ['demo', 'demo-2', 'other']) await create({ name })
    const find = async (query: string) =>
      (await world.call('GET', `/v2/deployments?${query}`)).body.resources.map(
        (one: { name: string }) => one.name,
      )
    expect(await find('name_contains=demo')).toEqual(['demo', 'demo-2'])
    expect(await find('name=demo')).toEqual(['demo'])
    expect(await find('name=dem')).toEqual([])
    expect(await find('name_contains=')).toHaveLength(3)
  })

  it.each(['limit=0', 'limit=101', 'limit=a', 'offset=-1'])('answers 422 for %s', async (query) => {
    const { status, body } = await world.call('GET', `/v2/deployments?${query}`)
    expect(status).toBe(422)
    expect(body.detail[0].loc).toEqual(['query', query.split('=')[0]])
  })

  it('is the same under /api-host', async () => {
    const created = (await create()).body
    const { status, body } = await world.call('GET', `/api-host/v2/deployments/${created.id}`)
    expect({ status, body }).toEqual({ status: 200, body: created })
    expect((await world.call('GET', '/api-host/ok', undefined, null)).body).toEqual({ ok: true })
    expect((await world.call('GET', '/api-host/v2/deployments', undefined, null)).status).toBe(401)
  })
})
