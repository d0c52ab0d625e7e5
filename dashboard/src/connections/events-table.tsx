import { Empty } from '../design/empty.tsx'
import { Status, type Tone } from '../design/status.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Time } from '../design/text/time.tsx'

/** The fields of an event that the table shows. */
interface OAuthTokenEvent {
  id: string
  created_at: string
  event_type: string
  provider_id: string
  provider_account_label: string | null
  reason: string | null
}

const MEANINGS: Record<string, { word: string; tone: Tone }> = {
  token_created: { word: 'Connected', tone: 'good' },
  token_updated: { word: 'Changed', tone: 'good' },
  token_refreshed: { word: 'Refreshed', tone: 'good' },
  token_refresh_failed: { word: 'Not refreshed', tone: 'bad' },
  token_expired: { word: 'Expired', tone: 'bad' },
  token_deleted: { word: 'Deleted', tone: 'off' },
  consent_refused: { word: 'Refused', tone: 'off' },
  consent_failed: { word: 'Not connected', tone: 'bad' },
}

const COLUMNS: readonly Column<OAuthTokenEvent>[] = [
  { id: 'when', header: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    id: 'what',
    header: 'What',
    isRowHeader: true,
    cell: ({ event_type }) => {
      const { word, tone } = MEANINGS[event_type] ?? { word: event_type, tone: 'off' }
      return <Status tone={tone}>{word}</Status>
    },
  },
  { id: 'provider', header: 'Provider', cell: ({ provider_id }) => <code>{provider_id}</code> },
  {
    id: 'account',
    header: 'Account',
    from: 'md',
    cell: ({ provider_account_label }) => provider_account_label ?? '–',
  },
  { id: 'why', header: 'Why', isWide: true, from: 'sm', cell: ({ reason }) => reason ?? '–' },
]

export function EventsTable({ events }: { events: readonly OAuthTokenEvent[] }) {
  return (
    <Table
      label="What happened to your accounts"
      columns={COLUMNS}
      rows={events}
      keyOf={({ id }) => id}
      empty={<Empty title="Nothing yet">Consents, refreshes and ends of tokens stand here.</Empty>}
    />
  )
}
