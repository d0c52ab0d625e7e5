/** Reads figures for a request. */
import { setImmediate as others } from 'node:timers/promises'
import type { Deployment } from '../../core/deployment/deployment.ts'
import { type Point, seriesOf } from '../../core/figures/series.ts'
import { CONTROL_PLANE_ID, type StoredSample } from '../../core/figures/store.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { requireDeployment } from '../deployments/access.ts'
import { type FiguresQuery, type FiguresRange, rangeOf } from './range.ts'

type FiguresParts = Pick<ControlPlaneParts, 'store' | 'clock' | 'figuresStepMs'>

/** The latest sample counts as current up to this age in steps: one may be late. */
const NOW_STEPS = 3

/** Throws `not_found`, or `invalid` for a bad range. */
export async function readDeploymentFigures(
  parts: FiguresParts,
  principal: Principal,
  { deployment_id, ...query }: FiguresQuery & { deployment_id: string },
) {
  await requireDeployment(parts.store, principal, deployment_id)
  const range = rangeOf(query, parts.figuresStepMs, parts.clock)
  const samples = await parts.store.figures.list(deployment_id, range)
  const now = nowOf(latestOf(samples, parts))
  return { deployment_id, ...rangeOnWire(range), now, ...seriesOf(samples, range.stepMs) }
}

/** Of all deployments of the workspace, yielding to other requests in between. Throws `invalid` for a bad range. */
export async function readWorkspaceFigures(
  parts: FiguresParts,
  principal: Principal,
  query: FiguresQuery,
) {
  const { store, clock, figuresStepMs } = parts
  const range = rangeOf(query, figuresStepMs, clock)
  const all: StoredSample[] = []
  const latest: StoredSample[] = []
  const deployments = []
  for (const { id, name } of await listOf(parts, principal)) {
    const samples = await store.figures.list(id, range)
    for (const one of samples) all.push(one)
    const { total } = seriesOf(samples, range.stepMs)
    await others()
    const last = latestOf(samples, parts)
    latest.push(...last)
    deployments.push({ deployment_id: id, name, now: nowOf(last), total })
  }
  const now = nowOf(latest)
  return { ...rangeOnWire(range), now, ...seriesOf(all, range.stepMs), deployments }
}

/** Of all workspaces, and of the control plane itself. Throws `invalid` for a bad range. */
export async function readInstallationFigures(parts: FiguresParts, query: FiguresQuery) {
  const { store, clock, figuresStepMs } = parts
  const range = rangeOf(query, figuresStepMs, clock)
  const all: StoredSample[] = []
  for (const id of await store.deployments.listIds()) {
    for (const one of await store.figures.list(id, range)) all.push(one)
    await others()
  }
  const own = await store.figures.list(CONTROL_PLANE_ID, range)
  const { stepMs } = range
  const control_plane = seriesOf(own, stepMs).points
  return { ...rangeOnWire(range), points: seriesOf(all, stepMs).points, control_plane }
}

async function listOf({ store }: FiguresParts, { workspace_id }: Principal): Promise<Deployment[]> {
  const all = await store.deployments.listAll()
  return all.filter(({ tenant_id }) => tenant_id === workspace_id)
}

/** The latest sample, if it is current and something ran. */
function latestOf(
  samples: readonly StoredSample[],
  { clock, figuresStepMs }: FiguresParts,
): StoredSample[] {
  const latest = samples.at(-1)
  const since = clock.now() - NOW_STEPS * figuresStepMs
  return latest && latest.at >= since && latest.sample.servers > 0 ? [latest] : []
}

/** Adds up all deployments: one sample may be of the step before. */
function nowOf(latest: readonly StoredSample[]): Point | null {
  const at = Math.max(...latest.map((one) => one.at))
  return seriesOf(
    latest.map((one) => ({ ...one, at })),
    1,
  ).total
}

function rangeOnWire({ from, to, stepMs }: FiguresRange) {
  const moment = (ms: number) => new Date(ms).toISOString()
  return { from: moment(from), to: moment(to), step_seconds: stepMs / 1000 }
}
