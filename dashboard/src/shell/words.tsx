/** The columns of lists of threads and runs that show what was said. */
import { useQuery } from '@tanstack/react-query'
import { type AgentServer, atAGlance } from '../api/agent-server.tsx'
import { assistantsQuery } from '../api/assistants.ts'
import type { Excerpt } from '../api/excerpts.ts'
import type { ListColumn } from '../design/row-list.tsx'
import { countText, shortId } from '../design/text/format.ts'

interface Row {
  thread_id: string
  run_id?: string
  server: AgentServer
  excerpt?: Excerpt | undefined
  error: string | { error: string; message: string } | null
  assistant_id?: string | undefined
  graph_id?: string | null | undefined
  /** Its question is still open. */
  is_waiting?: boolean
}

/** `first` and `last`: the headers of the columns with the texts. `status` stands behind them. */
export function wordsColumns<T extends Row>(
  first: string,
  last: string,
  status: ListColumn<T>['cell'],
): ListColumn<T>[] {
  return [
    {
      id: 'first',
      header: first,
      width: 'minmax(9rem,2fr)',
      cell: ({ excerpt, run_id, thread_id }) =>
        excerpt?.first ? (
          <Line text={excerpt.first} />
        ) : (
          <code className="text-ink-soft">{shortId(run_id ?? thread_id)}</code>
        ),
    },
    {
      id: 'last',
      header: last,
      width: 'minmax(9rem,3fr)',
      cell: (row) => <LastWords row={row} />,
    },
    { id: 'status', header: 'Status', isStatus: true, width: '11.5rem', cell: status },
    {
      id: 'assistant',
      header: 'Assistant',
      width: 'minmax(6rem,1fr)',
      cell: (row) => row.assistant_id && <AssistantName row={row} />,
    },
    {
      id: 'tokens',
      header: 'Tokens',
      width: '6.5rem',
      align: 'right',
      cell: ({ excerpt }) => tokensText(excerpt),
    },
  ]
}

/** The same columns in a list over several deployments. */
export function withServer<T extends Row>(columns: readonly ListColumn<T>[]): ListColumn<T>[] {
  const server: ListColumn<T> = {
    id: 'server',
    header: 'Deployment',
    width: 'minmax(6rem,1fr)',
    cell: (row) => <span className="font-medium">{row.server.name}</span>,
  }
  return columns.toSpliced(3, 0, server)
}

/** Its error, the question that it asks, or what was said last. */
export function LastWords({ row }: { row: Pick<Row, 'excerpt' | 'error' | 'is_waiting'> }) {
  const { error, is_waiting, excerpt } = row
  if (error) {
    const text = typeof error === 'string' ? error : `${error.error}: ${error.message}`
    return <Line text={text} tone="text-bad" />
  }
  if (is_waiting && excerpt?.question) return <Line text={excerpt.question} tone="text-wait" />
  return <Line text={excerpt?.last ?? excerpt?.question} />
}

/** On a phone the list scrolls sideways, and a text is not as wide as it is long. */
export function Line({ text, tone = '' }: { text: string | null | undefined; tone?: string }) {
  return (
    text && (
      <span title={text} className={`block max-w-60 truncate sm:max-w-none ${tone}`}>
        {text}
      </span>
    )
  )
}

function AssistantName({ row: { server, assistant_id = '', graph_id } }: { row: Row }) {
  const { data = [] } = useQuery({ ...assistantsQuery(atAGlance(server)), staleTime: 60_000 })
  const name = data.find((one) => one.assistant_id === assistant_id)?.name
  return name ?? graph_id ?? shortId(assistant_id)
}

function tokensText({ input_tokens, output_tokens }: Partial<Excerpt> = {}): string {
  if ((input_tokens ?? output_tokens ?? null) === null) return ''
  return `${countText(input_tokens ?? 0)} → ${countText(output_tokens ?? 0)}`
}
