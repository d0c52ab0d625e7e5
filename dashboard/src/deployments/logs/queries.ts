/** Logs, as the control plane returns them page by page. */
import { dataOf, type LogEntry, type Logs } from '@runyard/client'
import { queryOptions } from '@tanstack/react-query'
import { controlPlane } from '../../api/control-plane.ts'

const { api } = controlPlane

/** Which log: a build's, or that of the agent servers of one revision or of all. */
export interface LogPlace {
  deployment_id: string
  revision_id?: string | undefined
  kind: 'build' | 'deploy'
}

export interface LogFilters {
  query?: string | undefined
  level?: LogEntry['level'] | undefined
  run_id?: string | undefined
  start_time?: string | undefined
  end_time?: string | undefined
}

interface LogPage extends LogFilters {
  order: 'asc' | 'desc'
  limit: number
  offset?: string | undefined
}

export function readLog(place: LogPlace, page: LogPage, signal?: AbortSignal): Promise<Logs> {
  const { deployment_id: project_id, revision_id, kind } = place
  const options = { body: page, ...(signal && { signal }) }
  if (revision_id === undefined) {
    const params = { path: { project_id } }
    return dataOf(api.POST('/v1/projects/{project_id}/deploy_logs', { params, ...options }))
  }
  const params = { path: { project_id, revision_id } }
  return kind === 'build'
    ? dataOf(
        api.POST('/v1/projects/{project_id}/revisions/{revision_id}/build_logs', {
          params,
          ...options,
        }),
      )
    : dataOf(
        api.POST('/v1/projects/{project_id}/revisions/{revision_id}/deploy_logs', {
          params,
          ...options,
        }),
      )
}

/** The last lines, oldest first. */
export function logTailQuery(place: LogPlace, limit: number, filters: LogFilters = {}) {
  return queryOptions({
    queryKey: ['logs', 'tail', place, limit, filters],
    queryFn: async ({ signal }) => {
      const { logs } = await readLog(place, { ...filters, order: 'desc', limit }, signal)
      return logs.toReversed()
    },
  })
}

/** The current command of a build: the last line that begins with `$`. */
export function buildStepQuery(deployment_id: string, revision_id: string) {
  const place = { deployment_id, revision_id, kind: 'build' } as const
  return queryOptions({
    queryKey: ['logs', 'step', deployment_id, revision_id],
    queryFn: async ({ signal }) => {
      const page = { order: 'desc', limit: 20, query: '$ ' } as const
      const { logs } = await readLog(place, page, signal)
      const found = logs.find(({ message }) => message.startsWith('$ '))
      return found ? { text: found.message.slice(2), since: found.timestamp } : null
    },
    refetchInterval: 1_000,
  })
}
