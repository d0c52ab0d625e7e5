import type { Thread } from '@langchain/langgraph-sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { askAgent } from '../api/agent-request.ts'
import { type AgentServer, useAgentServer } from '../api/agent-server.tsx'
import type { FoundRun } from '../api/runs.ts'
import { meaningOfThread } from '../api/states.ts'
import { threadRunsQuery } from '../api/thread-runs.ts'
import { stateQuery } from '../api/thread-state.ts'
import { Button, ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { Trash2 } from '../design/icon.gen.tsx'
import { JsonView } from '../design/json/view.tsx'
import { Card, Facts, Page, Section } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { Badge } from '../design/status.tsx'
import { type Column, Table } from '../design/table.tsx'
import { bytesText, shortId } from '../design/text/format.ts'
import { Id } from '../design/text/id.tsx'
import { Duration, Time } from '../design/text/time.tsx'
import { RunStatusMark } from '../shell/run-status.tsx'
import { Talks } from '../shell/talks.tsx'
import { DeleteThreads } from './delete-threads.tsx'
import { type StorageUse, threadQuery } from './queries.ts'

/** One thread: its facts, its runs, its current state. */
export function ThreadPage() {
  const server = useAgentServer()
  const { thread: thread_id = '' } = useParams({ strict: false }) as Record<string, string>
  const query = useQuery(threadQuery(server, thread_id))
  const meaning = query.data && meaningOfThread(query.data.status)
  return (
    <Page
      title={`Thread ${shortId(thread_id)}`}
      badge={meaning && <Badge tone={meaning.tone}>{meaning.word}</Badge>}
      facts={<Id id={thread_id} />}
      actions={query.data && <ThreadActions server={server} thread={query.data} />}
    >
      <QueryView query={query} what="the thread">
        {(thread) => (
          <>
            <ThreadFacts server={server} thread={thread} />
            <ThreadRuns server={server} thread_id={thread_id} />
            <LatestState server={server} thread_id={thread_id} />
          </>
        )}
      </QueryView>
    </Page>
  )
}

function ThreadActions({ server, thread }: { server: AgentServer; thread: Thread }) {
  const [isDeleting, setDeleting] = useState(false)
  const navigate = useNavigate()
  const { assistant_id, graph_id } = (thread.metadata ?? {}) as Record<string, string | undefined>
  const assistant = assistant_id ?? graph_id
  return (
    <>
      <Talks>
        <Button kind="danger" icon={<Trash2 size={14} />} onPress={() => setDeleting(true)}>
          Delete
        </Button>
      </Talks>
      {assistant && (
        <ButtonLink
          kind="primary"
          to={server.pages.studio(assistant, { thread: thread.thread_id })}
        >
          Open in Studio
        </ButtonLink>
      )}
      <DeleteThreads
        server={server}
        ids={[thread.thread_id]}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onDone={() => void navigate({ to: server.pages.threads() })}
      />
    </>
  )
}

function ThreadFacts({ server, thread }: { server: AgentServer; thread: Thread }) {
  const { thread_id } = thread
  const { data: storage } = useQuery({
    queryKey: [server.key, 'threads', thread_id, 'storage'],
    queryFn: () => askAgent<StorageUse>(server, 'GET', `/threads/${thread_id}/storage`),
  })
  const { error } = thread as Thread & { error?: string | null }
  return (
    <Card className="mb-6">
      <div className="grid gap-6 md:grid-cols-2">
        <Facts
          facts={[
            ['Created', <Time key="c" at={thread.created_at} />],
            ['Changed', <Time key="u" at={thread.updated_at} />],
            ...(error
              ? ([
                  [
                    'Error',
                    <span key="e" className="text-bad">
                      {error}
                    </span>,
                  ],
                ] as const)
              : []),
            [
              'History',
              storage
                ? `${storage.checkpoints.count} checkpoints, ${bytesText(bytesOf(storage))}`
                : '…',
            ],
          ]}
        />
        <div>
          <h2 className="mb-1 text-sm text-ink-soft">Metadata</h2>
          <JsonView value={thread.metadata ?? {}} />
        </div>
      </div>
    </Card>
  )
}

function bytesOf({ checkpoints, channel_values, pending_writes }: StorageUse): number {
  return checkpoints.bytes + channel_values.bytes + pending_writes.bytes
}

function ThreadRuns({ server, thread_id }: { server: AgentServer; thread_id: string }) {
  const query = useQuery(threadRunsQuery(server, thread_id))
  return (
    <Section title="Runs">
      <QueryView query={query} what="the runs">
        {({ runs, next }) => (
          <>
            <Table
              label="Runs"
              columns={COLUMNS}
              rows={runs}
              keyOf={({ run_id }) => run_id}
              linkOf={({ run_id }) => server.pages.run(thread_id, run_id)}
              empty={<Empty title="Nothing has run on this thread yet." />}
            />
            {next && <p className="mt-2 text-sm text-ink-soft">These are the latest 100.</p>}
          </>
        )}
      </QueryView>
    </Section>
  )
}

const COLUMNS: readonly Column<FoundRun>[] = [
  {
    id: 'status',
    header: 'Status',
    cell: (run) => <RunStatusMark run={run} />,
  },
  {
    id: 'run',
    header: 'Run',
    isRowHeader: true,
    cell: ({ run_id }) => <Id id={run_id} isBare />,
  },
  {
    id: 'error',
    header: 'Error',
    from: 'md',
    isWide: true,
    cell: ({ error }) => error && `${error.error}: ${error.message}`,
  },
  {
    id: 'took',
    header: 'Took',
    align: 'right',
    cell: ({ started_at, ended_at }) =>
      started_at !== null && <Duration from={started_at} to={ended_at} />,
  },
  {
    id: 'when',
    header: 'Created',
    align: 'right',
    from: 'sm',
    cell: ({ created_at }) => <Time at={created_at} />,
  },
]

function LatestState({ server, thread_id }: { server: AgentServer; thread_id: string }) {
  const query = useQuery({ ...stateQuery(server, thread_id), refetchInterval: 3_000 })
  return (
    <Section title="State">
      <QueryView query={query} what="the state">
        {({ values, next, tasks }) => (
          <Card>
            {next.length > 0 && (
              <p className="mb-2 text-ink-soft">
                Next: <code>{next.join(', ')}</code>
                {tasks.some(({ interrupts }) => interrupts.length > 0) &&
                  ', which waits for an answer'}
              </p>
            )}
            <JsonView value={values} />
          </Card>
        )}
      </QueryView>
    </Section>
  )
}
