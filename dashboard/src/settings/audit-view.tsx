/** The audit log. */
import type { AuditEntry } from '@runyard/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { Empty } from '../design/empty.tsx'
import { reasonOf } from '../design/error-note.tsx'
import { SearchField, SelectField } from '../design/field.tsx'
import { Download } from '../design/icon.gen.tsx'
import { JsonView } from '../design/json/view.tsx'
import { Menu, MenuItem } from '../design/menu.tsx'
import { Facts } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Id } from '../design/text/id.tsx'
import { Time } from '../design/text/time.tsx'
import { toast } from '../design/toast.tsx'
import { spanChoices } from '../shell/spans.ts'
import { type AuditFilter, type AuditSearch, filterOf, readAuditSearch } from './audit-filter.ts'
import { actionText, NOUNS, revisionText } from './audit-words.ts'
import { auditQuery, exportAudit } from './queries.ts'

export function AuditView() {
  const search = readAuditSearch(useSearch({ strict: false }))
  const { text, action, within } = search
  const filter = useMemo(
    () => filterOf({ text, action, within }, Date.now()),
    [text, action, within],
  )
  const query = useInfiniteQuery(auditQuery(filter))
  const [opened, setOpened] = useState<AuditEntry>()
  return (
    <>
      <Filters search={search} filter={filter} />
      <QueryView query={query} what="the audit log">
        {({ pages }) => (
          <Table
            label="Audit log"
            columns={COLUMNS}
            rows={pages.flatMap(({ items }) => items)}
            keyOf={({ id }) => id}
            onOpen={setOpened}
            empty={<Empty title="No entry fits.">Each change is written here for good.</Empty>}
          />
        )}
      </QueryView>
      {query.hasNextPage && (
        <div className="mt-3 text-center">
          <Button isPending={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
            Older entries
          </Button>
        </div>
      )}
      {opened && <Entry entry={opened} onClose={() => setOpened(undefined)} />}
    </>
  )
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { id: 'when', header: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
  { id: 'who', header: 'Who', from: 'sm', cell: ({ actor_name }) => actor_name },
  {
    id: 'what',
    header: 'What',
    isRowHeader: true,
    isWide: true,
    cell: (entry) => (
      <span className="max-sm:wrap-anywhere max-sm:whitespace-normal">
        <span className="sm:hidden">{entry.actor_name} </span>
        {actionText(entry)}{' '}
        <span className="font-medium">
          {entry.target_name ?? <Id id={entry.target_id} isBare />}
        </span>
        {revisionText(entry)}
      </span>
    ),
  },
  {
    id: 'action',
    header: 'Action',
    from: 'lg',
    cell: ({ action }) => <code className="text-ink-faint">{action}</code>,
  },
]

function Filters({ search, filter }: { search: AuditSearch; filter: AuditFilter }) {
  const navigate = useNavigate()
  const set = (change: AuditSearch) =>
    void navigate({ to: '.', search: { ...search, ...change }, replace: true })
  return (
    <div className="mb-3 flex flex-wrap items-end gap-2">
      <div className="min-w-48 flex-1">
        <SearchField
          label="Search names, ids and actions"
          value={search.text ?? ''}
          onChange={(text) => set({ text: text || undefined })}
        />
      </div>
      <div className="w-44">
        <SelectField
          label="What it was done to"
          isLabelHidden
          value={search.action ?? ''}
          onChange={(action) => set({ action: action || undefined })}
          choices={[
            { value: '', label: 'Everything' },
            ...Object.entries(NOUNS).map(([value, label]) => ({ value, label })),
          ]}
        />
      </div>
      <div className="w-36">
        <SelectField<NonNullable<AuditSearch['within']> | 'all'>
          label="When"
          isLabelHidden
          value={search.within ?? 'all'}
          onChange={(span) => set({ within: span === 'all' ? undefined : span })}
          choices={[
            { value: 'all', label: 'At any time' },
            ...spanChoices('hour', 'day', 'week', 'month'),
          ]}
        />
      </div>
      <Menu trigger={<Button icon={<Download size={14} />}>Export</Button>}>
        <MenuItem onAction={() => void download(filter, 'csv')}>As CSV</MenuItem>
        <MenuItem onAction={() => void download(filter, 'jsonl')}>As JSON lines</MenuItem>
      </Menu>
    </div>
  )
}

async function download(filter: AuditFilter, format: 'csv' | 'jsonl'): Promise<void> {
  try {
    const url = URL.createObjectURL(await exportAudit(filter, format))
    const link = document.createElement('a')
    link.href = url
    link.download = `audit-log.${format}`
    link.click()
    URL.revokeObjectURL(url)
  } catch (error) {
    toast(`Nothing was exported. ${reasonOf(error)}`, { tone: 'bad' })
  }
}

function Entry({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const { actor_kind, actor_name, actor_id, action, target_name, target_id } = entry
  return (
    <Dialog
      title={`${actor_name} ${actionText(entry)} ${target_name ?? ''}${revisionText(entry)}`}
      isOpen
      onClose={onClose}
      size="wide"
    >
      <Facts
        facts={[
          ['When', <Time key="when" at={entry.created_at} />],
          ['Who', `${actor_name} (${actor_kind === 'user' ? 'a person' : 'a key'})`],
          ['Their id', <Id key="actor" id={actor_id} />],
          ['Action', <code key="action">{action}</code>],
          ['On', <Id key="target" id={target_id} />],
        ]}
      />
      <h3 className="mt-4 mb-1.5 font-medium">What was sent</h3>
      <JsonView value={entry.detail} />
    </Dialog>
  )
}
