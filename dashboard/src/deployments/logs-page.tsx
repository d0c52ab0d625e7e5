import type { LogEntry } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { z } from 'zod'
import { meaningOfRevision } from '../api/states.ts'
import { type Choice, SearchField, SelectField, TextField } from '../design/field.tsx'
import { Page } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { addressText, useAddress } from '../shell/address.ts'
import { spanChoices } from '../shell/spans.ts'
import { useDeploymentId } from './address.ts'
import { LogPanel } from './logs/log-panel.tsx'
import { RangeSearch, rangeOf } from './logs/range.ts'
import { KindChoice } from './logs/revision-log.tsx'
import { type RevisionWithHistory, revisionsQuery } from './queries.ts'

const LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const

const Search = z.object({
  log: z.enum(['build', 'deploy']).optional().catch(undefined),
  revision: z.coerce.number().int().optional().catch(undefined),
  level: z.enum(LEVELS).optional().catch(undefined),
  q: addressText,
  run: addressText,
  line: z.string().optional().catch(undefined),
  ...RangeSearch.shape,
})

type Asked = z.infer<typeof Search>

/** Logs of a deployment: of the servers of all or one of its revisions, or of its builds. */
export function LogsPage() {
  const id = useDeploymentId()
  const query = useQuery(revisionsQuery(id))
  return (
    <Page title="Logs">
      <QueryView query={query} what="the revisions">
        {(revisions) => <Logs deployment_id={id} revisions={revisions} />}
      </QueryView>
    </Page>
  )
}

function Logs(props: { deployment_id: string; revisions: readonly RevisionWithHistory[] }) {
  const { deployment_id, revisions } = props
  const [asked, change] = useAddress(Search)
  const { log: kind = 'deploy', level, q, run, line, within, from, to } = asked
  const range = useMemo(() => rangeOf({ within, from, to }, Date.now()), [within, from, to])
  // A build log belongs to one revision; servers of several revisions may log at once.
  const revision =
    revisions.find(({ number }) => number === asked.revision) ??
    (kind === 'build' ? revisions[0] : undefined)
  const narrow = (values: Partial<Asked>) =>
    change({ ...values, line: undefined }, { replace: true })
  return (
    <>
      <Filters asked={asked} kind={kind} revision={revision} onChange={narrow} {...props} />
      <LogPanel
        key={`${kind} ${revision?.id}`}
        label={kind === 'build' ? 'Build log' : 'Server log'}
        place={{ deployment_id, revision_id: revision?.id, kind }}
        filters={{
          ...(level && { level }),
          ...(q && { query: q }),
          ...(run && { run_id: run }),
          ...range,
        }}
        line={line}
        onLine={(id) => change({ line: id }, { replace: true })}
        onRange={(picked) => change({ ...picked, within: 'custom', line: undefined })}
        empty={emptyText(asked, kind)}
        className="h-[calc(100dvh-25rem)] min-h-80"
      >
        <KindChoice kind={kind} onKind={(log) => narrow({ log })} />
      </LogPanel>
    </>
  )
}

function emptyText({ level, q, run, within }: Asked, kind: 'build' | 'deploy'): string {
  if (level || q || run || within) return 'No line matches.'
  return kind === 'build' ? 'Nothing was built yet.' : 'Its servers have printed nothing yet.'
}

function Filters(props: {
  asked: Asked
  kind: 'build' | 'deploy'
  revision: RevisionWithHistory | undefined
  revisions: readonly RevisionWithHistory[]
  onChange: (values: Partial<Asked>) => void
}) {
  const { asked, kind, revision, revisions, onChange } = props
  return (
    <div className="mb-3 grid grid-cols-2 gap-2 max-lg:[&>*:first-child]:col-span-2 max-lg:[&>*:has(input[type=datetime-local])]:col-span-2 lg:grid-cols-[2fr_1fr_1fr_1fr_1.5fr]">
      <SearchField
        label="Search the lines"
        value={asked.q ?? ''}
        onChange={(q) => onChange({ q })}
      />
      <SelectField
        label="Revision"
        isLabelHidden
        value={revision ? String(revision.number) : ALL}
        onChange={(value) => onChange({ revision: value === ALL ? undefined : Number(value) })}
        choices={revisionChoices(revisions, kind)}
      />
      <SelectField
        label="Level"
        isLabelHidden
        value={asked.level ?? ALL}
        onChange={(value) => onChange({ level: LEVELS.find((one) => one === value) })}
        choices={LEVEL_CHOICES}
      />
      <SelectField
        label="When"
        isLabelHidden
        value={asked.within ?? ALL}
        onChange={(value) => onChange({ within: Search.shape.within.parse(value) })}
        choices={RANGE_CHOICES}
      />
      <TextField
        label="Run"
        isLabelHidden
        value={asked.run ?? ''}
        onChange={(run) => onChange({ run: run.trim() })}
        placeholder="Id of a run or thread"
        isMono
      />
      {(asked.within === 'custom' ? (['from', 'to'] as const) : []).map((end) => (
        <TextField
          key={end}
          label={end === 'from' ? 'From' : 'To'}
          type="datetime-local"
          value={localText(asked[end])}
          onChange={(text) => onChange({ [end]: text ? new Date(text).toISOString() : undefined })}
        />
      ))}
    </div>
  )
}

/** The moment in local time, to the second, as the browser's field takes it. */
function localText(at: string | undefined): string {
  const time = new Date(at ?? Number.NaN)
  const ms = time.getTime() - time.getTimezoneOffset() * 60_000
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString().slice(0, 19)
}

const ALL = 'all'

const RANGE_CHOICES: readonly Choice[] = [
  { value: ALL, label: 'At any time' },
  ...spanChoices('quarter', 'hour', 'day', 'week'),
  { value: 'custom', label: 'From … to …' },
]

const LEVEL_CHOICES: readonly Choice[] = [
  { value: ALL, label: 'Every level' },
  ...LEVELS.map((level: LogEntry['level']) => ({ value: level, label: level })),
]

function revisionChoices(
  revisions: readonly RevisionWithHistory[],
  kind: 'build' | 'deploy',
): Choice[] {
  const each = revisions.map(({ number, status }) => ({
    value: String(number),
    label: `#${number}`,
    help: meaningOfRevision(status).word,
  }))
  return kind === 'build' ? each : [{ value: ALL, label: 'All revisions' }, ...each]
}
