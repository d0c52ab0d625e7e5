import type { DeploymentRuntime } from '@runyard/client'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type AgentServer, atAGlance, useAgentServer } from '../../api/agent-server.tsx'
import { ButtonLink } from '../../design/button.tsx'
import { Empty } from '../../design/empty.tsx'
import { Workflow } from '../../design/icon.gen.tsx'
import { QueryView } from '../../design/query-view.tsx'

/** The assistants of an awake server; those of its graphs first. */
export function assistantsQuery(server: AgentServer, isAwake: boolean) {
  return queryOptions({
    queryKey: ['agents', server.key, 'assistants', 'overview'],
    queryFn: () =>
      atAGlance(server).client.assistants.search({
        limit: 50,
        sortBy: 'created_at',
        sortOrder: 'asc',
      }),
    enabled: isAwake,
  })
}

/** Its assistants, each with a link to its Studio. Does not wake a sleeping deployment. */
export function Graphs(props: { isAwake: boolean; state: DeploymentRuntime['state'] | undefined }) {
  const server = useAgentServer()
  const query = useQuery(assistantsQuery(server, props.isAwake))
  if (!props.isAwake && !query.data) {
    return (
      <p className="text-ink-soft">
        {props.state === 'asleep'
          ? 'They are asked for when it is awake.'
          : 'They are shown as soon as a server answers.'}
      </p>
    )
  }
  return (
    <QueryView query={query} what="the assistants">
      {(assistants) =>
        assistants.length === 0 ? (
          <Empty title="It has no assistant." />
        ) : (
          <ul className="grid gap-2 sm:grid-cols-2 lg:grid-cols-3">
            {assistants.map(({ assistant_id, name, description, graph_id }) => (
              <li
                key={assistant_id}
                className="flex items-center justify-between gap-3 rounded-lg border border-line bg-surface px-3 py-2.5"
              >
                <span className="min-w-0">
                  <span className="block font-medium wrap-anywhere">{name}</span>
                  <span className="line-clamp-2 text-sm text-ink-soft">
                    {description ?? (name === graph_id ? '' : `of ${graph_id}`)}
                  </span>
                </span>
                <ButtonLink
                  size="sm"
                  to={server.pages.studio(assistant_id)}
                  icon={<Workflow size={14} />}
                >
                  Studio
                </ButtonLink>
              </li>
            ))}
          </ul>
        )
      }
    </QueryView>
  )
}
