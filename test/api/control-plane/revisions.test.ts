import { beforeEach, describe, expect, it } from 'vitest'
import { RevisionSchema } from '../../../src/control-plane/revisions/revision-schemas.ts'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

let path: string
let first: string
const world = forEachTest(() => startControlPlane({ isReconciling: false }))
beforeEach(async () => {
  const secrets = [{ name: 'A', value: 'first' }]
  const { body } = await world.call('POST', '/v2/deployments', aCreateRequest({ secrets }))
  path = `/v2/deployments/${body.id}`
  first = body.latest_revision_id
})

const unknown = '11111111-1111-1111-1111-111111111111'

async function addRevision(repo_ref: string): Promise<string> {
  const request = { source_revision_config: { repo_ref }, secrets: [{ name: 'A', value: 'next' }] }
  return (await world.call('PATCH', path, request)).body.latest_revision_id
}

describe('a revision', () => {
  it('is answered by its id', async () => {
    const { status, body } = await world.call('GET', `${path}/revisions/${first}`)
    expect(status).toBe(200)
    expect(RevisionSchema.parse(body)).toEqual(body)
    expect(body).toMatchObject({
      id: first,
      status: 'CREATING',
      status_message: null,
      source: 'github',
      source_revision_config: { repo_ref: 'main', repo_commit_sha: null },
    })
  })

  it('is answered with 404 when it is unknown, and 422 when the id is none', async () => {
    const revisions = `${path}/revisions`
    expect(await world.call('GET', `${revisions}/${unknown}`)).toMatchObject({
      status: 404,
      body: { detail: `Revision ID ${unknown} not found.` },
    })
    expect(await world.call('GET', `/v2/deployments/${unknown}/revisions/${first}`)).toMatchObject({
      status: 404,
      body: { detail: `Deployment ID ${unknown} not found.` },
    })
    expect((await world.call('GET', `${revisions}/nonsense`)).body.detail[0]).toMatchObject({
      loc: ['path', 'revision_id'],
      type: 'uuid_parsing',
    })
  })
})

describe('the list of revisions', () => {
  it('is newest first, page by page', async () => {
    const second = await addRevision('next')
    const list = async (query: string) =>
      (await world.call('GET', `${path}/revisions${query}`)).body
    expect((await list('?limit=1')).resources.map((one: { id: string }) => one.id)).toEqual([
      second,
    ])
    const page = await list('?limit=1&offset=1')
    expect(page.resources.map((one: { id: string }) => one.id)).toEqual([first])
    expect(page.offset).toBe(2)
    expect(await list('?offset=2')).toEqual({ resources: [], offset: 2 })
  })

  it('can be of some statuses only', async () => {
    const list = (status: string) => world.call('GET', `${path}/revisions?status=${status}`)
    expect((await list('CREATING,DEPLOYED')).body.resources).toHaveLength(1)
    expect((await list('DEPLOYED')).body.resources).toEqual([])
    expect((await list('')).body.resources).toHaveLength(1)
    const { status, body } = await list('SLEEPING')
    expect(status).toBe(422)
    expect(body.detail[0].loc).toEqual(['query', 'status'])
  })

  it('is answered with 404 for an unknown deployment', async () => {
    expect((await world.call('GET', `/v2/deployments/${unknown}/revisions`)).status).toBe(404)
  })
})

describe('creating a revision', () => {
  const create = (body: object | undefined) => world.call('POST', `${path}/revisions`, body)

  it('answers 201 with the revision, even when nothing changes', async () => {
    const { status, body } = await create({})
    expect(status).toBe(201)
    expect(RevisionSchema.strict().parse(body)).toEqual(body)
    expect(body).toMatchObject({ status: 'CREATING', source_revision_config: { repo_ref: 'main' } })
    expect(body.id).not.toBe(first)
    expect((await world.call('GET', path)).body).toMatchObject({ latest_revision_id: body.id })
  })

  it('changes what is sent, and carries over the rest', async () => {
    const resource_spec = { cpu: 2 }
    const { body } = await create({
      source_revision_config: { repo_ref: 'next', langgraph_config_path: null },
      source_config: { resource_spec, install_command: 'make' },
      secrets: null,
    })
    expect(body.source_revision_config).toMatchObject({
      repo_ref: 'next',
      langgraph_config_path: 'langgraph.json',
    })
    const deployment = (await world.call('GET', path)).body
    expect(deployment).toMatchObject({
      source_config: { resource_spec, install_command: 'make' },
      secrets: [{ name: 'A', value: 'first' }],
    })
    await create({ secrets: [{ name: 'B', value: 'new' }] })
    expect((await world.call('GET', path)).body.secrets).toEqual([{ name: 'B', value: 'new' }])
  })

  it.each([
    [{ source_config: { repo_url: 'https://git.example.com/other.git' } }, 'repo_url'],
    [{ source_revision_config: { image_uri: 'x@sha256:1' } }, 'image_uri'],
    [{ secrets: [{ name: 'LANGCHAIN_PROJECT', value: 'x' }] }, 'LANGCHAIN_PROJECT'],
    [{ secret_references: [{ name: 'A', secret_name: 'b', secret_key: 'c' }] }, 'secret_ref'],
  ])('is refused with 400 for %j, and changes nothing', async (request, named) => {
    const { status, body } = await create(request)
    expect(status).toBe(400)
    expect(body.detail).toContain(named)
    expect((await world.call('GET', path)).body.latest_revision_id).toBe(first)
  })

  it('is refused without a body, and makes nothing', async () => {
    const { status, body } = await create(undefined)
    expect([status, body.detail]).toEqual([
      422,
      [{ loc: ['body'], msg: 'Send a JSON object, {} at least.', type: 'missing' }],
    ])
    expect((await world.call('GET', path)).body.latest_revision_id).toBe(first)
  })

  it('needs a tarball where there was none yet', async () => {
    const request = aCreateRequest({
      name: 'tarball',
      source: 'internal_source',
      source_config: {},
      source_revision_config: {},
    })
    const { id } = (await world.call('POST', '/v2/deployments', request)).body
    const { status, body } = await world.call('POST', `/v2/deployments/${id}/revisions`, {})
    expect(status).toBe(400)
    expect(body.detail).toContain('source_tarball_path is required')
  })

  it('is refused for an unknown deployment, one that is being deleted, and to a viewer', async () => {
    const at = (id: string) => `/v2/deployments/${id}/revisions`
    expect((await world.call('POST', at(unknown), {})).status).toBe(404)
    expect(
      (await world.call('POST', `${path}/revisions`, {}, await world.keyOf('viewer'))).status,
    ).toBe(403)
    await world.call('DELETE', path)
    expect((await create({})).status).toBe(409)
  })
})

describe('deploying a revision again', () => {
  it('makes a new revision of the same, and the deployment is as it was then', async () => {
    const second = await addRevision('next')
    const { status, body } = await world.call('POST', `${path}/revisions/${first}/redeploy`)
    expect(status).toBe(200)
    expect([first, second]).not.toContain(body.latest_revision_id)
    expect(body).toMatchObject({
      secrets: [{ name: 'A', value: 'first' }],
      source_revision_config: { repo_ref: 'main' },
    })
    expect((await world.call('GET', path)).body).toEqual(body)
  })

  it('is answered with 404 for an unknown revision', async () => {
    const { status, body } = await world.call('POST', `${path}/revisions/${unknown}/redeploy`)
    expect(status).toBe(404)
    expect(body.detail).toBe(`Revision ID ${unknown} not found.`)
  })
})
