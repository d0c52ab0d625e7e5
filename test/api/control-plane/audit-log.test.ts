import { describe, expect, it } from 'vitest'
import { AuditEntrySchema } from '../../../src/control-plane/people/audit-log-routes.ts'
import { ADMIN_KEY_ID, DEFAULT_WORKSPACE_ID } from '../../../src/core/people/api-key.ts'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const world = forEachTest(() => startControlPlane({ isReconciling: false }))

const log = async (query = '') => (await world.call('GET', `/v2/audit-log${query}`)).body
const create = (change: Record<string, unknown> = {}) =>
  world.call('POST', '/v2/deployments', aCreateRequest(change))

describe('the audit log', () => {
  it('tells who did what to which thing, and when', async () => {
    const before = new Date(world.clock.now()).toISOString()
    const deployment = (await create()).body
    const { items, next_cursor } = await log()
    expect(items).toHaveLength(1)
    expect(AuditEntrySchema.strict().parse(items[0])).toEqual(items[0])
    expect(items[0]).toMatchObject({
      workspace_id: DEFAULT_WORKSPACE_ID,
      actor_kind: 'api_key',
      actor_id: ADMIN_KEY_ID,
      actor_name: 'admin',
      action: 'deployment.create',
      target_id: deployment.id,
      target_name: 'support',
    })
    expect(items[0].created_at >= before).toBe(true)
    expect(next_cursor).toBeNull()
  })

  it('has no entry for what was refused', async () => {
    await create()
    expect((await create()).status).toBe(409)
    expect((await log()).items).toHaveLength(1)
  })

  it('names what was changed, never a secret', async () => {
    const secrets = [{ name: 'TOKEN', value: 'sk-secret' }]
    const { id } = (await create({ secrets })).body
    const patch = { secrets: [{ name: 'TOKEN', value: 'sk-other' }] }
    const patched = (await world.call('PATCH', `/v2/deployments/${id}`, patch)).body
    const { items } = await log()
    expect(items[0]).toMatchObject({
      action: 'deployment.update',
      detail: { fields: ['secrets'], revision_id: patched.latest_revision_id },
    })
    expect(JSON.stringify(items)).not.toContain('sk-')
  })

  it('is searched, and read page by page', async () => {
    for (const name of ['one', 'two', 'three']) await create({ name })
    await world.call('POST', '/v2/listeners', {
      compute_type: 'k8s',
      compute_id: 'east',
      compute_config: {},
    })
    const actions = async (query: string) =>
      (await log(query)).items.map((one: { target_name: string }) => one.target_name)
    expect(await actions('?action=listener')).toEqual(['east'])
    expect(await actions('?text=TWO')).toEqual(['two'])
    expect(await actions('?actor_id=nobody')).toEqual([])
    expect(await actions('?since=2100-01-01T00:00:00Z')).toEqual([])
    const first = await log('?limit=3')
    expect(first.items).toHaveLength(3)
    expect(await actions(`?limit=3&cursor=${first.next_cursor}`)).toEqual(['one'])
    expect((await world.call('GET', '/v2/audit-log?cursor=nonsense')).status).toBe(422)
  })

  it('is exported as JSON lines and as CSV, which no spreadsheet takes for formulas', async () => {
    await world.call('POST', '/v2/workspaces', { name: '=HYPERLINK("x","y")' })
    await create()
    const download = async (query: string) => {
      const url = `${world.url}/v2/audit-log/export?action=workspace&${query}`
      return fetch(url, { headers: { 'x-api-key': world.adminKey } })
    }
    const lines = await download('format=jsonl')
    expect(lines.headers.get('content-type')).toBe('application/jsonl')
    const entries = (await lines.text()).trim().split('\n')
    expect(entries.map((line) => AuditEntrySchema.parse(JSON.parse(line)).action)).toEqual([
      'workspace.create',
    ])
    const csv = await download('format=csv')
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="audit-log.csv"')
    const [header, row] = (await csv.text()).split('\r\n')
    expect(header).toMatch(/^created_at,actor_kind,actor_id,actor_name,action,/)
    expect(row).toContain(`"'=HYPERLINK(""x"",""y"")"`)
    expect((await log('?action=audit_log.export')).items).toHaveLength(2)
  })
})
