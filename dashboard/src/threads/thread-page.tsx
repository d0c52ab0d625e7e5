import type { Thread } from '@langchain/langgraph-sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { askAgent } from '../api/agent-request.ts'
import { type AgentServer, useAgentServer } from '../api/agent-server.tsx'
import type { FoundRun } from '../api/runs.ts'
import { meaningOfThread } from '../api/states.ts'
import { threadRunsQuery } from '../api/thread-runs.ts'
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
import { LastWords, Line } from '../shell/words.tsx'
import { ThreadStudio } from '../studio/thread-studio.tsx'
import { DeleteThreads } from './delete-threads.tsx'
import { type StorageUse, threadQuery } from './queries.ts'

/** One thread: its conversation with the state beside it, its runs, its facts. */
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
            <Talk thread={thread} />
            <ThreadRuns server={server} thread_id={thread_id} />
            <ThreadFacts server={server} thread={thread} />
          </>
        )}
      </QueryView>
    </Page>
  )
}

/** The assistant that ran on the thread last, or its graph. */
function assistantOf({ metadata }: Thread): string | undefined {
  const { assistant_id, graph_id } = (metadata ?? {}) as Record<string, string | undefined>
  return assistant_id ?? graph_id
}

function Talk({ thread }: { thread: Thread }) {
  const assistant = assistantOf(thread)
  const values = thread.values && (
    <Card className="mt-3">
      <JsonView value={thread.values} />
    </Card>
  )
  return (
    <div className="mb-6">
      {assistant ? (
        <ThreadStudio
          key={thread.thread_id}
          threadId={thread.thread_id}
          assistantId={assistant}
          otherwise={values}
        />
      ) : (
        (values ?? <Empty title="Nothing has run on this thread yet." />)
      )}
    </div>
  )
}

function ThreadActions({ server, thread }: { server: AgentServer; thread: Thread }) {
  const [isDeleting, setDeleting] = useState(false)
  const navigate = useNavigate()
  const assistant = assistantOf(thread)
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
  const { data: storage } = useQuery({
    queryKey: [server.key, 'threads', thread.thread_id, 'storage'],
    queryFn: () => askAgent<StorageUse>(server, 'GET', `/threads/${thread.thread_id}/storage`),
  })
  const history =
    storage && `${storage.checkpoints.count} checkpoints, ${bytesText(bytesOf(storage))}`
  return (
    <Section title="Facts">
      <Card className="grid gap-6 md:grid-cols-2">
        <Facts
          facts={[
            ['Created', <Time key="c" at={thread.created_at} />],
            ['Changed', <Time key="u" at={thread.updated_at} />],
            ['History', history ?? '…'],
          ]}
        />
        <div>
          <h3 className="mb-1 text-sm text-ink-soft">Metadata</h3>
          <JsonView value={thread.metadata ?? {}} />
        </div>
      </Card>
    </Section>
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
    id: 'input',
    header: 'Input',
    from: 'md',
    isWide: true,
    cell: ({ excerpt }) => <Line text={excerpt?.first} />,
  },
  {
    id: 'output',
    header: 'Output',
    from: 'md',
    isWide: true,
    cell: (run) => <LastWords row={run} />,
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
