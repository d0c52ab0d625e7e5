/** Reads build and deploy logs. */

import type { Revision, RevisionStatus } from '../../core/deployment/revision.ts'
import type { LogEntry, LogKind, LogSource } from '../../core/deployment/revision-log.ts'
import type { Principal } from '../../core/people/api-key.ts'
import { requireDeployment, requireRevision } from '../deployments/access.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { maskOf } from '../rollout/failure.ts'
import type { LogFilter } from './log-schemas.ts'

/** The statuses in which a revision's log may still grow. */
const UNBUILT: readonly RevisionStatus[] = ['CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING']
const PAGE = 100

interface LogsPage {
  logs: LogEntry[]
  /** Where the next page begins; `null` at the end. */
  next_offset: string | null
}

/**
 * One revision's log, without the values of its secrets. A build log, read from the oldest line on, ends
 * when the build does: until then `next_offset` is never null after the first line. Throws `not_found`.
 */
export async function readRevisionLogs(
  parts: Pick<ControlPlaneParts, 'store' | 'logs' | 'buildFollowers'>,
  principal: Principal,
  path: { deployment_id: string; revision_id: string; kind: LogKind },
  filter: LogFilter,
): Promise<LogsPage> {
  const { deployment_id, revision_id, kind } = path
  await requireDeployment(parts.store, principal, deployment_id)
  const revision = await requireRevision(parts.store, deployment_id, revision_id)
  const page = await parts.logs.read({ kind, sources: [sourceOf(revision)], ...filter })
  const answer = { logs: page.entries, next_offset: page.next }
  if (kind === 'deploy' || filter.order === 'desc') return answer
  const isOver = !UNBUILT.includes(revision.status)
  parts.buildFollowers.note(principal, revision_id, isOver && page.next === null)
  if (isOver || page.next !== null) return answer
  return { ...answer, next_offset: page.entries.at(-1)?.id ?? filter.after ?? null }
}

/** The logs of all the deployment's revisions, merged by time. Throws `not_found`. */
export async function readDeploymentLogs(
  parts: Pick<ControlPlaneParts, 'store' | 'logs'>,
  principal: Principal,
  path: { deployment_id: string; kind: LogKind },
  filter: LogFilter,
): Promise<LogsPage> {
  const { deployment_id, kind } = path
  await requireDeployment(parts.store, principal, deployment_id)
  const sources = await allSources(parts, deployment_id)
  const { entries, next } = await parts.logs.read({ kind, sources, ...filter })
  return { logs: entries, next_offset: next }
}

async function allSources(
  parts: Pick<ControlPlaneParts, 'store'>,
  deployment_id: string,
): Promise<LogSource[]> {
  const sources: LogSource[] = []
  for (let offset = 0; ; offset += PAGE) {
    const page = await parts.store.revisions.list(deployment_id, { limit: PAGE, offset })
    sources.push(...page.map(sourceOf))
    if (page.length < PAGE) return sources
  }
}

function sourceOf({ id, created_at, secrets }: Revision): LogSource {
  return { revision_id: id, sinceMs: Date.parse(created_at), mask: maskOf(secrets) }
}
