/** What the pages of deployments ask the control plane. */
import { dataOf, isOver, type Revision, type RevisionHistoryEntry } from '@runyard/client'
import { queryOptions } from '@tanstack/react-query'
import { controlPlane } from '../api/control-plane.ts'
import { byDeployment, PACE, QUICK_PACE } from '../api/deployments.ts'

const { api } = controlPlane

/** Number of revisions a page shows at first and adds each time. */
export const REVISIONS_A_PAGE = 20

/** One revision, polled until its rollout is over. */
export function revisionQuery(deployment_id: string, revision_id: string) {
  return queryOptions({
    queryKey: ['deployments', deployment_id, 'revisions', revision_id],
    queryFn: () => controlPlane.getRevision(deployment_id, revision_id),
    refetchInterval: ({ state: { data } }) => (data && isOver(data.status) ? 6 * PACE : QUICK_PACE),
  })
}

export interface RevisionWithHistory extends Revision {
  history: RevisionHistoryEntry | undefined
}

/** The newest `count` revisions, each with its history. */
export function revisionsQuery(deployment_id: string, count = REVISIONS_A_PAGE) {
  const params = { path: { deployment_id }, query: { limit: count } }
  return queryOptions({
    queryKey: ['deployments', deployment_id, 'revisions', { count }],
    queryFn: async (): Promise<RevisionWithHistory[]> => {
      const [revisions, history] = await Promise.all([
        dataOf(api.GET('/v2/deployments/{deployment_id}/revisions', { params })),
        dataOf(api.GET('/v2/deployments/{deployment_id}/revision-history', { params })),
      ])
      const told = new Map(history.resources.map((entry) => [entry.revision_id, entry]))
      return revisions.resources.map((one) => ({ ...one, history: told.get(one.id) }))
    },
    placeholderData: (before) => before,
    refetchInterval: ({ state: { data } }) =>
      data?.every(({ status }) => isOver(status)) ? PACE : QUICK_PACE,
  })
}

/** The history of one revision of any age. */
export function historyQuery(deployment_id: string, { number }: Revision, latest: number) {
  const query = { limit: 1, offset: latest - number }
  const params = { path: { deployment_id }, query }
  return queryOptions({
    queryKey: ['deployments', deployment_id, 'history', number, latest],
    queryFn: async () => {
      const found = await dataOf(
        api.GET('/v2/deployments/{deployment_id}/revision-history', { params }),
      )
      return found.resources.find((entry) => entry.number === number) ?? null
    },
    refetchInterval: PACE,
  })
}

/** What a revision changed since the last one that served before it. Its source is fetched a moment after it was made. */
export function comparisonQuery(deployment_id: string, { id: revision_id, status }: Revision) {
  const params = { path: { deployment_id, revision_id } }
  return queryOptions({
    queryKey: ['deployments', deployment_id, 'revisions', revision_id, 'changes', status],
    queryFn: () =>
      dataOf(
        api.GET('/v2/deployments/{deployment_id}/revisions/{revision_id}/changes', { params }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
  })
}

/** The last hour of every deployment of the workspace, one point each. */
export function figuresQuery() {
  return queryOptions({
    queryKey: ['figures', 'deployments'],
    queryFn: async () => (await dataOf(api.GET('/v2/figures'))).deployments,
    select: byDeployment,
    refetchInterval: 3 * PACE,
  })
}
