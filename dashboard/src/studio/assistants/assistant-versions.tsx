/** The versions of an assistant, each compared with the active one, and which one is active. */
import type { Assistant, AssistantVersion } from '@langchain/langgraph-sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useAgentServer } from '../../api/agent-server.tsx'
import { Button } from '../../design/button.tsx'
import { classes } from '../../design/classes.ts'
import { ErrorNote } from '../../design/error-note.tsx'
import { JsonDiff } from '../../design/json/diff.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { QueryView } from '../../design/query-view.tsx'
import { Badge } from '../../design/status.tsx'
import { Time } from '../../design/text/time.tsx'
import { toast } from '../../design/toast.tsx'
import { Talks } from '../../shell/talks.tsx'
import { useAssistantSearch } from './search.ts'

export function AssistantVersions({ assistant }: { assistant: Assistant }) {
  const server = useAgentServer()
  const { search } = useAssistantSearch()
  const query = useQuery({
    queryKey: [server.key, 'assistants', assistant.assistant_id, 'versions'],
    queryFn: ({ signal }) =>
      server.client.assistants.getVersions(assistant.assistant_id, { limit: 1_000, signal }),
  })
  return (
    <QueryView query={query} what="the versions">
      {(versions) => {
        const inForce = versions.find(({ version }) => version === assistant.version)
        const shown = versions.find(({ version }) => version === search.version) ?? inForce
        return (
          <div className="grid gap-4 sm:grid-cols-[14rem_1fr]">
            <List versions={versions} inForce={assistant.version} shown={shown?.version} />
            {shown && <Shown version={shown} inForce={inForce} />}
          </div>
        )
      }}
    </QueryView>
  )
}

function List(props: {
  versions: readonly AssistantVersion[]
  inForce: number
  shown: number | undefined
}) {
  const { change } = useAssistantSearch()
  return (
    <ul className="max-h-96 overflow-y-auto">
      {props.versions.map(({ version, name, created_at }) => (
        <li key={version}>
          <button
            type="button"
            aria-current={version === props.shown ? 'true' : undefined}
            onClick={() => change({ version })}
            className={classes(
              'flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left',
              version === props.shown ? 'bg-accent-soft' : 'hover:bg-hover',
            )}
          >
            <span className="font-medium tabular-nums">v{version}</span>
            <span className="min-w-0 truncate text-ink-soft">{name}</span>
            <span className="ml-auto text-xs text-ink-soft">
              {version === props.inForce ? (
                <Badge tone="good">In force</Badge>
              ) : (
                <Time at={created_at} />
              )}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

function Shown(props: { version: AssistantVersion; inForce: AssistantVersion | undefined }) {
  const { version, inForce } = props
  const isInForce = version.version === inForce?.version
  return (
    <section aria-label={`Version ${version.version}`} className="min-w-0 space-y-3">
      {isInForce || !inForce ? (
        <JsonView value={contentOf(version)} openDepth={2} />
      ) : (
        <>
          <h3 className="text-sm font-medium text-ink-soft">
            From version {inForce.version}, which is in force, to version {version.version}
          </h3>
          <JsonDiff
            before={contentOf(inForce)}
            after={contentOf(version)}
            same={<p className="text-ink-soft">Both say the same.</p>}
          />
          <Talks>
            <PutInForce version={version} />
          </Talks>
        </>
      )}
    </section>
  )
}

/** From then on all runs of the assistant use it, in the Studio and elsewhere. */
function PutInForce({ version }: { version: AssistantVersion }) {
  const server = useAgentServer()
  const queries = useQueryClient()
  const put = useMutation({
    mutationFn: async () => {
      const { assistants } = server.client
      const after = await assistants.setLatest(version.assistant_id, version.version)
      toast(`Version ${after.version} of ${after.name} is in force.`)
      await queries.invalidateQueries({ queryKey: [server.key, 'assistants'] })
    },
  })
  return (
    <>
      <Button kind="primary" isPending={put.isPending} onPress={() => put.mutate()}>
        Put version {String(version.version)} in force
      </Button>
      {put.error && <ErrorNote error={put.error} title="The version was not put in force." />}
    </>
  )
}

function contentOf(version: AssistantVersion) {
  const { name, description, graph_id, config, metadata } = version
  const { context } = version as { context?: unknown }
  return {
    name,
    description: description ?? null,
    graph_id,
    context: context ?? {},
    config,
    metadata,
  }
}
