import type { DeploymentFigures, FigurePoint, WorkspaceFigures } from '@runyard/client'
import { dataOf } from '@runyard/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { controlPlane } from '../api/control-plane.ts'
import { RANGES, type RangeName } from './search.ts'

export type Point = FigurePoint
export type Series = Pick<DeploymentFigures, 'from' | 'to' | 'step_seconds' | 'points'>
export type Glance = WorkspaceFigures['deployments'][number]

/** New figures come every 30 seconds. */
const EVERY_MS = 15_000

const shared = { refetchInterval: EVERY_MS, placeholderData: keepPreviousData } as const

/** The start of a range that ends now. */
export function from(range: RangeName): string {
  return new Date(Date.now() - RANGES[range] * 3_600_000).toISOString()
}

export function workspaceFigures(range: RangeName) {
  return queryOptions({
    ...shared,
    queryKey: ['figures', 'workspace', range],
    queryFn: () =>
      dataOf(controlPlane.api.GET('/v2/figures', { params: { query: { from: from(range) } } })),
  })
}

export function deploymentFigures(range: RangeName, deployment_id: string) {
  return queryOptions({
    ...shared,
    queryKey: ['figures', 'deployment', deployment_id, range],
    queryFn: () =>
      dataOf(
        controlPlane.api.GET('/v2/deployments/{deployment_id}/figures', {
          params: { path: { deployment_id }, query: { from: from(range) } },
        }),
      ),
  })
}

export function installationFigures(range: RangeName) {
  return queryOptions({
    ...shared,
    queryKey: ['figures', 'installation', range],
    queryFn: () =>
      dataOf(
        controlPlane.api.GET('/v2/installation/figures', {
          params: { query: { from: from(range) } },
        }),
      ),
  })
}
