import { useQueries } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { z } from 'zod'
import { type AgentServer, atAGlance, useAgentServer } from '../api/agent-server.tsx'
import { isMetadata, metadataPairs, parseMetadata } from '../api/metadata-text.ts'
import { meaningOfThread, type ThreadStatus } from '../api/states.ts'
import { Button } from '../design/button.tsx'
import { Page } from '../design/page.tsx'
import { isUuid } from '../design/text/format.ts'
import { addressText, useAddress } from '../shell/address.ts'
import {
  AssistantFilter,
  ChoiceFilter,
  Filters,
  JsonFilter,
  SearchFilter,
  SpanFilter,
} from '../shell/filters.tsx'
import { SelectionBar } from '../shell/selection-bar.tsx'
import { ServersPage } from '../shell/servers-page.tsx'
import { SPANS } from '../shell/spans.ts'
import { DeleteThreads } from './delete-threads.tsx'
import { type ThreadQuery, threadsQuery } from './queries.ts'
import { MergedThreadList, ThreadList } from './thread-list.tsx'

const STATUSES = ['idle', 'busy', 'interrupted', 'error'] as const satisfies ThreadStatus[]
const CHOICES = STATUSES.map((value) => ({ value, label: meaningOfThread(value).word }))

const searchSchema = z.object({
  text: addressText,
  status: z.enum(STATUSES).optional().catch(undefined),
  metadata: addressText,
  values: addressText,
  assistant: addressText,
  since: z.enum(['hour', 'day', 'week']).optional().catch(undefined),
})

type ThreadsSearch = z.infer<typeof searchSchema>

/** The threads of one agent server. */
export function ThreadsPage() {
  const server = useAgentServer()
  const [search, change] = useAddress(searchSchema)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isDeleting, setDeleting] = useState(false)
  const query = useMemo(() => queryOf(search, Date.now()), [search])
  return (
    <Page title="Threads">
      <ThreadFilters servers={[server]} query={query} search={search} onChange={change}>
        <AssistantFilter
          server={server}
          value={search.assistant}
          onChange={(assistant) => change({ assistant })}
        />
      </ThreadFilters>
      <ThreadList server={server} query={query} chosen={chosen} onChoose={setChosen} />
      {chosen.size > 0 && (
        <SelectionBar text={`${chosen.size} chosen`} onNone={() => setChosen(new Set())}>
          <Button kind="danger" size="sm" onPress={() => setDeleting(true)}>
            Delete {chosen.size === 1 ? 'this thread' : `${chosen.size} threads`}
          </Button>
        </SelectionBar>
      )}
      <DeleteThreads
        server={server}
        ids={[...chosen]}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onDone={() => setChosen(new Set())}
      />
    </Page>
  )
}

/** The latest threads of all awake deployments. */
export function AllThreadsPage() {
  const [search, change] = useAddress(searchSchema)
  const query = useMemo(() => queryOf(search, Date.now()), [search])
  return (
    <ServersPage title="Threads">
      {(all) => {
        const servers = all.map(atAGlance)
        return (
          <>
            <ThreadFilters servers={servers} query={query} search={search} onChange={change} />
            <MergedThreadList servers={servers} query={query} />
          </>
        )
      }}
    </ServersPage>
  )
}

function ThreadFilters(props: {
  servers: readonly AgentServer[]
  query: ThreadQuery
  search: ThreadsSearch
  onChange: (change: Partial<ThreadsSearch>, options?: { replace: boolean }) => void
  children?: ReactNode
}) {
  const { servers, query, search, onChange, children } = props
  const pages = useQueries({
    queries: servers.map((server) => ({ ...threadsQuery(server, query, 0), enabled: false })),
  })
  const pairs = pages.flatMap(({ data }) =>
    (data?.threads ?? []).flatMap(({ metadata }) => metadataPairs(metadata)),
  )
  return (
    <Filters>
      <SearchFilter
        label="Words in a thread, or its id"
        value={search.text}
        onChange={(text) => onChange({ text }, { replace: true })}
      />
      <JsonFilter
        label="Metadata"
        value={search.metadata}
        onChange={(metadata) => onChange({ metadata }, { replace: true })}
        suggestions={pairs}
      />
      <JsonFilter
        label="Values"
        value={search.values}
        onChange={(values) => onChange({ values }, { replace: true })}
      />
      <ChoiceFilter
        label="Status"
        any="Any status"
        value={search.status}
        onChange={(status) => onChange({ status })}
        choices={CHOICES}
      />
      <SpanFilter label="Changed" value={search.since} onChange={(since) => onChange({ since })} />
      {children}
    </Filters>
  )
}

/** A filter that cannot be parsed yet is still being typed. */
function queryOf(
  { status, metadata, values, text = '', assistant, since }: ThreadsSearch,
  now: number,
): ThreadQuery {
  const read = (text = '') => (isMetadata(text) ? parseMetadata(text) : undefined)
  return {
    status,
    // A thread's metadata name the last assistant that ran on it.
    metadata: assistant ? { ...read(metadata), assistant_id: assistant } : read(metadata),
    values: read(values),
    updated_after: since && new Date(now - SPANS[since].ms).toISOString(),
    ...(isUuid(text.trim()) ? { ids: [text.trim()] } : { text: text.trim() || undefined }),
  }
}
