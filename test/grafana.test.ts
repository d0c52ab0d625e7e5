/** The dashboard for Grafana asks for metrics that there are. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { LazyAgentMetrics } from '../src/telemetry/agent-metrics.ts'
import { createControlPlaneMetrics } from '../src/telemetry/control-plane-metrics.ts'

const folder = resolve(import.meta.dirname, '../deploy/grafana')

interface Panel {
  type: string
  title: string
  targets?: { expr: string }[]
}

interface Board {
  panels: Panel[]
  templating: { list: { type: string; query: string }[] }
}

const board = JSON.parse(readFileSync(join(folder, 'runyard.json'), 'utf8')) as Board
const panels = board.panels.filter(({ type }) => type !== 'row')

/** By name, of both planes. */
const types = new Map<string, string>()

beforeAll(async () => {
  const agent = new LazyAgentMetrics({
    store: {
      runs: {
        figures: async () => ({ waiting: 0, delayed: 0, running: 0, oldest_due_at: null }),
      },
      webhookDeliveries: { countPending: async () => 0 },
      ping: async () => {},
      sizeBytes: async () => 0,
    } as unknown as ConstructorParameters<typeof LazyAgentMetrics>[0]['store'],
    clock: { now: () => 0 },
  })
  const nothing = { countByStatus: async () => ({}) }
  const controlPlane = await createControlPlaneMetrics({
    deployments: nothing,
    revisions: nothing,
    ping: async () => {},
  } as unknown as Parameters<typeof createControlPlaneMetrics>[0])
  for (const metrics of [agent, controlPlane]) {
    const { body } = await metrics.read('prometheus')
    for (const [, name = '', type = ''] of body.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      types.set(name, type)
    }
  }
})

test.each(panels.map((panel) => [panel.title, panel] as const))(
  '%s',
  (_title, { targets = [] }) => {
    expect(targets).not.toEqual([])
    for (const { expr } of targets)
      for (const name of namesIn(expr)) expect(isThere(name)).toBe(true)
  },
)

test('the choice of deployments is made of a metric too', () => {
  const queries = board.templating.list.filter(({ type }) => type === 'query')
  const names = queries.flatMap(({ query }) => namesIn(query))
  expect(names).toEqual(['runyard_gateway_requests_total'])
  expect(names.every(isThere)).toBe(true)
})

test('a name that is no metric would be found', () => {
  expect(namesIn('rate(runyard_made_up_total[5m])').some(isThere)).toBe(false)
  expect(isThere('runyard_runs_bucket')).toBe(false)
})

function namesIn(expr: string): string[] {
  return expr.match(/\b(?:runyard|process|nodejs)_\w+/g) ?? []
}

/** A histogram is asked for by its parts. */
function isThere(name: string): boolean {
  const whole = name.replace(/_(bucket|sum|count)$/, '')
  return types.has(name) ? types.get(name) !== 'histogram' : types.get(whole) === 'histogram'
}
