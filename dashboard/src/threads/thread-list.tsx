/** Lists of threads: of one server any number, of which only visible pages are loaded; of several their latest. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { metadataPairs } from '../api/metadata-text.ts'
import { meaningOfThread } from '../api/states.ts'
import { Empty } from '../design/empty.tsx'
import { QueryView } from '../design/query-view.tsx'
import { type ListColumn, RowList } from '../design/row-list.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { Status } from '../design/status.tsx'
import { countText } from '../design/text/format.ts'
import { Time } from '../design/text/time.tsx'
import { SearchBound } from '../shell/filters.tsx'
import { ReadErrors } from '../shell/servers-page.tsx'
import { withServer, wordsColumns } from '../shell/words.tsx'
import { type FoundThread, PAGE_SIZE, type ThreadQuery, threadsQuery } from './queries.ts'

export function ThreadList(props: {
  server: AgentServer
  query: ThreadQuery
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
}) {
  const { server, query } = props
  const [pagesSeen, setPagesSeen] = useState({ first: 0, last: 0 })
  const first = useQuery(threadsQuery(server, query, 0))
  const total = first.data?.total ?? 0
  const pages = useQueries({
    queries: numbersOf(pagesSeen).map((page) => threadsQuery(server, query, page)),
  })
  const pageAt = new Map(numbersOf(pagesSeen).map((page, at) => [page, pages[at]?.data]))
  const onSeen = useCallback((from: number, to: number) => {
    const [first, last] = [Math.floor(from / PAGE_SIZE), Math.floor(to / PAGE_SIZE)]
    setPagesSeen((before) =>
      before.first === first && before.last === last ? before : { first, last },
    )
  }, [])
  return (
    <QueryView query={first} what="the threads">
      {({ lookedAt }) =>
        total === 0 ? (
          <NoThreads query={query} lookedAt={lookedAt} />
        ) : (
          <>
            <RowList
              label="Threads"
              columns={COLUMNS}
              count={total}
              rowAt={(index) =>
                pageAt.get(Math.floor(index / PAGE_SIZE))?.threads[index % PAGE_SIZE]
              }
              keyOf={({ thread_id }) => thread_id}
              linkOf={({ thread_id }) => server.pages.thread(thread_id)}
              onSeen={onSeen}
              selection={{ keys: props.chosen, onChange: props.onChoose }}
            />
            <Count text={textOf(total)} what="threads" lookedAt={lookedAt} />
          </>
        )
      }
    </QueryView>
  )
}

/** The latest threads of several servers, which it does not wake if they are given at a glance. */
export function MergedThreadList(props: { servers: readonly AgentServer[]; query: ThreadQuery }) {
  const { servers, query } = props
  const pages = useQueries({
    queries: servers.map((server) => threadsQuery(server, query, 0)),
  })
  const threads = pages
    .flatMap(({ data }) => data?.threads ?? [])
    .toSorted((a, b) => b.updated_at.localeCompare(a.updated_at))
  const lookedAt = pages.find(({ data }) => data?.lookedAt !== undefined)?.data?.lookedAt
  const isCut = pages.some(({ data }) => data && data.total > data.threads.length)
  return (
    <>
      <ReadErrors what="the threads" servers={servers} results={pages} />
      {threads.length > 0 ? (
        <>
          <RowList
            label="Threads"
            columns={MERGED_COLUMNS}
            count={threads.length}
            rowAt={(index) => threads[index]}
            keyOf={({ server, thread_id }) => `${server.key} ${thread_id}`}
            linkOf={({ server, thread_id }) => server.pages.thread(thread_id)}
          />
          <Count
            text={
              isCut ? `The latest ${PAGE_SIZE} threads of each deployment` : textOf(threads.length)
            }
            what="threads of a deployment"
            lookedAt={lookedAt}
          />
        </>
      ) : pages.some(({ isPending }) => isPending) ? (
        <Skeleton lines={6} />
      ) : (
        <NoThreads query={query} lookedAt={lookedAt} />
      )}
    </>
  )
}

function textOf(count: number): string {
  return `${countText(count)} ${count === 1 ? 'thread' : 'threads'}`
}

function Count({ text, ...bound }: { text: string } & Parameters<typeof SearchBound>[0]) {
  return (
    <p className="mt-2 flex flex-wrap gap-x-3 text-sm text-ink-soft" role="status">
      {text}
      <SearchBound {...bound} />
    </p>
  )
}

function NoThreads(props: { query: ThreadQuery; lookedAt: number | undefined }) {
  const isFiltered = Object.values(props.query).some((value) => value !== undefined)
  return (
    <Empty title={isFiltered ? 'No thread is like that.' : 'There are no threads yet.'}>
      {isFiltered ? (
        <SearchBound what="threads" lookedAt={props.lookedAt} />
      ) : (
        'A conversation with an agent, or whatever it remembers of a task, is a thread.'
      )}
    </Empty>
  )
}

function numbersOf({ first, last }: { first: number; last: number }): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

const COLUMNS: readonly ListColumn<FoundThread>[] = [
  ...wordsColumns<FoundThread>('First message', 'Last message', ({ status }) => (
    <Status tone={meaningOfThread(status).tone}>{meaningOfThread(status).word}</Status>
  )),
  {
    id: 'metadata',
    header: 'Metadata',
    width: 'minmax(5rem,1fr)',
    cell: ({ metadata }) => (
      <code className="text-ink-soft">{metadataPairs(metadata).join(' ')}</code>
    ),
  },
  {
    id: 'changed',
    isTime: true,
    header: 'Changed',
    width: '7rem',
    align: 'right',
    cell: ({ updated_at }) => <Time at={updated_at} />,
  },
]

const MERGED_COLUMNS: readonly ListColumn<FoundThread>[] = withServer(COLUMNS)
