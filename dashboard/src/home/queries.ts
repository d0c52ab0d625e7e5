import { type Deployment, dataOf, isOver, type Revision } from '@runyard/client'
import { queryOptions } from '@tanstack/react-query'
import { type AgentServer, agentServer, atAGlance } from '../api/agent-server.tsx'
import { controlPlane } from '../api/control-plane.ts'
import { isAwake } from '../api/deployments.ts'

const { api } = controlPlane

/** The deployment that `npm start` makes at the first start. */
export const EXAMPLE = 'example'

export function newestRevisionQuery({ id, latest_revision_id }: Deployment) {
  const revision = latest_revision_id ?? ''
  return queryOptions({
    queryKey: ['home', 'revision', id, revision],
    queryFn: () => controlPlane.getRevision(id, revision),
    enabled: latest_revision_id !== null,
    refetchInterval: ({ state: { data } }) => (data && isOver(data.status) ? false : 2_000),
  })
}

/** The assistant for a newcomer's first chat. `isWaking`: the request may wake the server. */
export function firstAssistantQuery(server: AgentServer, isWaking: boolean) {
  const { client } = isWaking ? server : atAGlance(server)
  return queryOptions({
    queryKey: ['home', 'assistant', server.key],
    queryFn: async () => (await client.assistants.search({ limit: 1 }))[0] ?? null,
    staleTime: 60_000,
  })
}

export interface Need {
  deployment: Deployment
  /** The newest revision, if it has failed. */
  failed?: Revision
  /** The number of threads that wait for an answer. */
  waitingThreads: number
  /** The page of the Studio with the question that waits longest; undefined if no thread waits. */
  question?: string
  /** Queued runs, if the oldest has waited too long. */
  queue?: { waiting: number; ageSeconds: number }
}

/** The age of the oldest queued run from which a queue needs attention, in seconds. */
const SLOW_QUEUE_SECONDS = 10

/** What needs attention, in all deployments. Does not wake a sleeping one. */
export function needsQuery(deployments: readonly Deployment[]) {
  return queryOptions({
    queryKey: ['home', 'needs', deployments.map(({ id, updated_at }) => id + updated_at)],
    queryFn: async () => {
      const { deployments: glances } = await dataOf(api.GET('/v2/figures'))
      const now = new Map(glances.map((glance) => [glance.deployment_id, glance.now]))
      const needs = await Promise.all(
        deployments.map((deployment) => needOf(deployment, now.get(deployment.id) ?? undefined)),
      )
      return needs.filter(
        ({ failed, waitingThreads, queue }) => failed || waitingThreads > 0 || queue,
      )
    },
    refetchInterval: 15_000,
    placeholderData: (before) => before,
  })
}

async function needOf(
  deployment: Deployment,
  now: { waiting: number; queue_age_seconds: number; servers: number } | undefined,
): Promise<Need> {
  const [newest, waiting] = await Promise.all([
    failedRevision(deployment),
    // The figures may be a minute old.
    now && now.servers > 0 && (await isAwake(deployment.id))
      ? waitingThreadsOf(deployment)
      : { waitingThreads: 0 },
  ])
  const isSlow = now !== undefined && now.queue_age_seconds >= SLOW_QUEUE_SECONDS
  return {
    deployment,
    ...waiting,
    ...(newest && { failed: newest }),
    ...(isSlow && { queue: { waiting: now.waiting, ageSeconds: now.queue_age_seconds } }),
  }
}

async function failedRevision({ id, ...of }: Deployment): Promise<Revision | undefined> {
  if (of.latest_revision_id === null || of.latest_revision_id === of.active_revision_id)
    return undefined
  const revision = await controlPlane.getRevision(id, of.latest_revision_id)
  return revision.status.endsWith('_FAILED') ? revision : undefined
}

async function waitingThreadsOf(
  deployment: Deployment,
): Promise<Pick<Need, 'waitingThreads' | 'question'>> {
  const { client, pages } = atAGlance(agentServer(deployment))
  const status = 'interrupted' as const
  try {
    const waitingThreads = await client.threads.count({ status })
    if (waitingThreads === 0) return { waitingThreads }
    const [oldest] = await client.threads
      .search({
        status,
        limit: 1,
        sortBy: 'updated_at',
        sortOrder: 'asc',
        select: ['thread_id', 'metadata'],
      })
      .catch(() => [])
    const { assistant_id, graph_id } = (oldest?.metadata ?? {}) as Record<
      string,
      string | undefined
    >
    const assistant = assistant_id ?? graph_id
    if (!oldest || !assistant) return { waitingThreads }
    return { waitingThreads, question: pages.studio(assistant, { thread: oldest.thread_id }) }
  } catch {
    // A server that does not respond must not hide what needs attention on the others.
    return { waitingThreads: 0 }
  }
}
