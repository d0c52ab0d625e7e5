/** Reads figures for a request. */
import { setImmediate as others } from 'node:timers/promises'
import { momentOf } from '../../core/clock.ts'
import { invalidField } from '../../core/errors.ts'
import { CONTROL_PLANE_ID, type StoredSample } from '../../core/figures/sample.ts'
import { type Point, seriesOf, totalOfSeries } from '../../core/figures/series.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { requireDeployment } from '../deployments/access.ts'

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
  const range = rangeOf(query, parts)
  const samples = await parts.store.figures.list(deployment_id, range)
  const now = nowOf(latestOf(samples, parts))
  return { deployment_id, ...rangeOnWire(range), now, ...seriesOf(samples, range.stepMs) }
}

/** Of all deployments of the workspace, yielding to other requests in between. Throws `invalid` for a bad range. */
export async function readWorkspaceFigures(
  parts: FiguresParts,
  { workspace_id }: Principal,
  query: FiguresQuery,
) {
  const { store } = parts
  const range = rangeOf(query, parts)
  const all: StoredSample[] = []
  const latest: StoredSample[] = []
  const deployments = []
  for (const { id, name, tenant_id } of await store.deployments.listAll()) {
    if (tenant_id !== workspace_id) continue
    const samples = await store.figures.list(id, range)
    for (const one of samples) all.push(one)
    const total = totalOfSeries(samples, range.stepMs)
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
  const { store } = parts
  const range = rangeOf(query, parts)
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
  return { from: momentOf(from), to: momentOf(to), step_seconds: stepMs / 1000 }
}

export const HOUR_MS = 3_600_000
/** How long figures are kept, in ms. */
export const KEPT_MS = 24 * HOUR_MS
/** The most points in an answer, and the number to aim for when the query names no step. */
const MOST_POINTS = 3000
const MEANT_POINTS = 120

interface FiguresQuery {
  from?: string | undefined
  to?: string | undefined
  /** In s. */
  step?: number | undefined
}

interface FiguresRange {
  from: number
  to: number
  stepMs: number
}

/**
 * The last hour, in steps that make about 120 points, unless the query says otherwise. A step is a multiple
 * of the stored steps. Throws `invalid` for a bad range.
 */
function rangeOf(query: FiguresQuery, { clock, figuresStepMs }: FiguresParts): FiguresRange {
  const to = query.to === undefined ? clock.now() : Date.parse(query.to)
  const from = query.from === undefined ? to - HOUR_MS : Date.parse(query.from)
  if (from >= to)
    throw invalidField(['query', 'from'], 'Expected a moment before the end.', 'range')
  const askedMs = query.step === undefined ? (to - from) / MEANT_POINTS : query.step * 1000
  const stepMs = Math.max(1, Math.ceil(askedMs / figuresStepMs)) * figuresStepMs
  const range = { from: Math.floor(from / stepMs) * stepMs, to, stepMs }
  if (Math.min(to - from, KEPT_MS) / stepMs <= MOST_POINTS) return range
  const hint = `These are more than ${MOST_POINTS} points: ask for a shorter time or longer steps.`
  throw invalidField(['query', 'step'], hint, 'range')
}
