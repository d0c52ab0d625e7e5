/** The deployments of the workspace, as the shell and the areas ask for them. */
import {
  type Deployment,
  type DeploymentStates,
  dataOf,
  isOver,
  type Revision,
} from '@runyard/client'
import { queryOptions } from '@tanstack/react-query'
import { controlPlane } from './control-plane.ts'
import { statusOf } from './query-client.ts'
import type { Session } from './session.ts'

type Workspace = Session['workspaces'][number]

/** Polling interval for data that changes by itself, in ms. */
export const PACE = 5_000
/** Polling interval during a rollout, in ms. */
export const QUICK_PACE = 1_000

export function deploymentsQuery() {
  return queryOptions({
    queryKey: ['deployments'],
    queryFn: () => controlPlane.listDeployments(),
    refetchInterval: PACE,
  })
}

/** Why a revision failed, in one sentence: the first line, without the step in front. */
export function sentenceOf({ status_message }: Pick<Revision, 'status_message'>): string {
  const [sentence = ''] = (status_message ?? 'no reason was noted.').split('\n')
  return sentence.replace(/^[a-z]+: /, '')
}

/** The number of a revision, which never changes. */
export function revisionNumberQuery(deployment_id: string, revision_id: string) {
  return queryOptions({
    queryKey: ['revision number', revision_id],
    queryFn: async () => (await controlPlane.getRevision(deployment_id, revision_id)).number,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function deploymentQuery(id: string) {
  return queryOptions({
    queryKey: ['deployments', id],
    queryFn: () => controlPlane.getDeployment(id),
    refetchInterval: ({ state: { data, error } }) => {
      if (!data && statusOf(error) === 404) return false
      return data && isSettled(data) ? PACE : QUICK_PACE
    },
  })
}

/** The same without polling: the layout of a deployment's pages keeps it fresh. */
export function deploymentNameQuery(id: string | undefined) {
  return {
    ...deploymentQuery(id ?? ''),
    enabled: id !== undefined,
    refetchInterval: false,
  } as const
}

/** The one of these workspaces that has the deployment; null: none of them. */
export function workspaceOfDeploymentQuery(
  deployment_id: string,
  workspaces: readonly Workspace[] | undefined,
) {
  return queryOptions({
    queryKey: ['workspace of deployment', deployment_id],
    queryFn: async ({ signal }) => {
      for (const workspace of workspaces ?? [])
        if (await hasDeployment(workspace, deployment_id, signal)) return workspace
      return null
    },
    enabled: workspaces !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

async function hasDeployment(
  { id }: Workspace,
  deployment_id: string,
  signal: AbortSignal,
): Promise<boolean> {
  const params = { path: { deployment_id } }
  const headers = { 'x-tenant-id': id }
  const asked = { params, headers, signal }
  try {
    await controlPlane.api.GET('/v2/deployments/{deployment_id}', asked)
    return true
  } catch (error) {
    // 403: the workspace is gone, or they have left it.
    if (statusOf(error) === 404 || statusOf(error) === 403) return false
    throw error
  }
}

/** The current state of its agent servers. */
export function runtimeQuery(deployment_id: string) {
  const params = { path: { deployment_id } }
  return queryOptions({
    queryKey: ['deployments', deployment_id, 'runtime'],
    queryFn: () =>
      dataOf(controlPlane.api.GET('/v2/deployments/{deployment_id}/runtime', { params })),
    refetchInterval: PACE,
  })
}

/** Whether its agent servers can respond at once, without waking or starting. */
export async function isAwake(deployment_id: string): Promise<boolean> {
  const params = { path: { deployment_id } }
  const { data } = await controlPlane.api.GET('/v2/deployments/{deployment_id}/runtime', { params })
  return data?.state === 'serving'
}

export type DeploymentAtAGlance = DeploymentStates['resources'][number]

/** Whether each deployment serves, and its serving and latest revisions: one request for a whole list. */
function statesQuery<T>(select: (all: DeploymentAtAGlance[]) => T) {
  return queryOptions({
    queryKey: ['deployments', 'states'],
    queryFn: async () => (await dataOf(controlPlane.api.GET('/v2/deployment-states'))).resources,
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ latest }) => latest && !isOver(latest.status)) ? QUICK_PACE : PACE,
    select,
  })
}

/** By deployment id. */
export function deploymentStatesQuery() {
  return statesQuery(byDeployment)
}

/** A `select` of queries: it stays the same function, so rows that did not change give the same map. */
export function byDeployment<T extends { deployment_id: string }>(rows: readonly T[]) {
  return new Map(rows.map((row) => [row.deployment_id, row]))
}

/** Deployments by whether their agent servers can respond at once. */
export interface Answering {
  awake: { id: string; name: string }[]
  asleep: { id: string; name: string; state: DeploymentAtAGlance['state'] }[]
}

export function answeringQuery() {
  return { ...statesQuery(answering), refetchInterval: 15_000 }
}

/** Only deployments that were deployed. */
export function answering(all: readonly DeploymentAtAGlance[]): Answering {
  const deployed = all
    .filter(({ active }) => active !== null)
    .map(({ deployment_id: id, name, state }) => ({ id, name, state }))
  const { awake = [], asleep = [] } = Object.groupBy(deployed, ({ state }) =>
    state === 'serving' ? 'awake' : 'asleep',
  )
  return { awake, asleep }
}

/** No rollout is in progress, as far as the deployment itself shows. */
function isSettled({ latest_revision_id, active_revision_id }: Deployment): boolean {
  return latest_revision_id === active_revision_id
}
