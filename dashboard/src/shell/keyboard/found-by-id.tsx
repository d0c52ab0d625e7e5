/** Finds what a typed id names: a deployment, a revision, or a thing of an agent server that is awake. */
import { type Deployment, dataOf } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { type AgentServer, agentServer, atAGlance } from '../../api/agent-server.tsx'
import { controlPlane } from '../../api/control-plane.ts'
import { pagesOf } from '../../api/deployment-pages.ts'
import { answering, answeringQuery } from '../../api/deployments.ts'
import { MODE } from '../../api/mode.ts'
import { queryClient } from '../../api/query-client.ts'
import { searchRuns } from '../../api/runs.ts'
import { Hash } from '../../design/icon.gen.tsx'
import { isUuid, shortId } from '../../design/text/format.ts'
import type { Entry } from './entry.ts'

interface Found {
  kind: string
  /** The name of its deployment; empty: there is none. */
  of: string
  to: string
}

/** `nothing`: the text if the palette has no entry. */
export function useFoundById(typed: string, go: (to: string) => void) {
  const id = typed.trim().toLowerCase()
  const isId = isUuid(id)
  const { data = [], isFetching } = useQuery({
    queryKey: ['palette', 'id', id],
    queryFn: () => find(id),
    enabled: isId,
    retry: false,
  })
  if (!isId) return { entries: [], nothing: 'Nothing has this name.' }
  const entries = data.map(
    ({ kind, of, to }): Entry => ({
      id: to,
      label: `${kind} ${shortId(id)}`,
      detail: of,
      words: id,
      icon: <Hash size={16} />,
      run: () => go(to),
    }),
  )
  return { entries, nothing: isFetching ? 'Searching…' : 'Nothing that is awake has this id.' }
}

/** A request that fails does not hide what another one finds. */
async function find(id: string): Promise<Found[]> {
  const isPlane = MODE === 'control-plane'
  // Fetched rows are the query's own, before its `select`.
  const awake = isPlane
    ? answering(await queryClient.fetchQuery(answeringQuery())).awake
    : [undefined]
  const deployments = isPlane ? await controlPlane.listDeployments().catch(() => []) : []
  const own = deployments.find((one) => one.id === id)
  if (own) return [{ kind: 'Deployment', of: own.name, to: pagesOf(id).overview }]
  const found = await Promise.all(awake.map((one) => findOn(agentServer(one), id)))
  // Last, because it takes a request for each deployment.
  return found.some(({ length }) => length > 0) ? found.flat() : findRevision(deployments, id)
}

/** Among the latest 100 revisions of each deployment. */
async function findRevision(deployments: readonly Deployment[], id: string): Promise<Found[]> {
  const found = deployments.map(async ({ id: deployment_id, name: of }): Promise<Found[]> => {
    const params = { path: { deployment_id }, query: { limit: 100 } }
    const { resources } = await dataOf(
      controlPlane.api.GET('/v2/deployments/{deployment_id}/revisions', { params }),
    )
    const to = pagesOf(deployment_id).revision(id)
    return resources.some((one) => one.id === id) ? [{ kind: 'Revision', of, to }] : []
  })
  return (await Promise.all(found.map((one) => one.catch(() => [])))).flat()
}

async function findOn(server: AgentServer, id: string): Promise<Found[]> {
  const asked = atAGlance(server)
  const [runs, threads, assistants, crons] = await Promise.all([
    searchRuns(asked, { run_id: id, limit: 1 }).then(
      ({ runs }) => runs,
      () => [],
    ),
    asked.client.threads.search({ ids: [id], select: ['thread_id'] }).catch(() => []),
    asked.client.assistants.search({ limit: 1_000 }).catch(() => []),
    asked.client.crons.search({ limit: 1_000 }).catch(() => []),
  ])
  const { pages, deploymentId, name } = server
  const found: [kind: string, ids: string[], to: string][] = [
    // An agent server of an earlier version ignores the condition and returns its latest run.
    ['Run', runs.map(({ run_id }) => run_id), pages.run(runs[0]?.thread_id ?? '', id)],
    ['Thread', threads.map(({ thread_id }) => thread_id), pages.thread(id)],
    ['Assistant', assistants.map(({ assistant_id }) => assistant_id), pages.studio(id)],
    ['Cron', crons.map(({ cron_id }) => cron_id), pages.cron(id)],
  ]
  return found
    .filter(([, ids]) => ids.includes(id))
    .map(([kind, , to]) => ({ kind, of: deploymentId ? name : '', to }))
}
