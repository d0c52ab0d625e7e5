/** A list of any number of threads: only visible pages are loaded. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { meaningOfThread } from '../api/states.ts'
import { Empty } from '../design/empty.tsx'
import { QueryView } from '../design/query-view.tsx'
import { type ListColumn, RowList } from '../design/row-list.tsx'
import { Status } from '../design/status.tsx'
import { countText, shortId } from '../design/text/format.ts'
import { Time } from '../design/text/time.tsx'
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
  const isFiltered = Object.values(query).some((value) => value !== undefined)
  return (
    <QueryView query={first} what="the threads">
      {() =>
        total === 0 ? (
          <Empty title={isFiltered ? 'No thread is like that.' : 'There are no threads yet.'}>
            {!isFiltered &&
              'A conversation with an agent, or whatever it remembers of a task, is a thread.'}
          </Empty>
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
            <p className="mt-2 text-sm text-ink-soft" role="status">
              {countText(total)} {total === 1 ? 'thread' : 'threads'}
            </p>
          </>
        )
      }
    </QueryView>
  )
}

function numbersOf({ first, last }: { first: number; last: number }): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

const COLUMNS: readonly ListColumn<FoundThread>[] = [
  {
    id: 'status',
    header: 'Status',
    width: '11rem',
    cell: ({ status }) => (
      <Status tone={meaningOfThread(status).tone}>{meaningOfThread(status).word}</Status>
    ),
  },
  {
    id: 'thread',
    header: 'Thread',
    width: '9rem',
    cell: ({ thread_id }) => <code title={thread_id}>{shortId(thread_id)}</code>,
  },
  {
    id: 'metadata',
    header: 'Metadata',
    width: 'minmax(8rem,2fr)',
    cell: ({ metadata }) => <code className="text-ink-soft">{metadataText(metadata)}</code>,
  },
  {
    id: 'error',
    header: 'Error',
    width: 'minmax(6rem,2fr)',
    cell: ({ error }) => error && <span title={error}>{error}</span>,
  },
  {
    id: 'created',
    header: 'Created',
    width: '7rem',
    align: 'right',
    cell: ({ created_at }) => <Time at={created_at} />,
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

/** Metadata that the server sets is not shown. */
const OWN = new Set(['graph_id', 'assistant_id'])

function metadataText(metadata: FoundThread['metadata']): string {
  const entries = Object.entries(metadata ?? {}).filter(([key]) => !OWN.has(key))
  return entries
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}
