import { RUN_STATUSES } from '../api/runs.ts'
import { meaningOfRun } from '../api/states.ts'
import { ChoiceFilter, Filters, JsonFilter, SearchFilter } from '../shell/filters.tsx'
import { SPAN_CHOICES } from '../shell/spans.ts'
import type { RunsSearch } from './search.ts'

const STATUSES = RUN_STATUSES.map((value) => ({ value, label: meaningOfRun(value).word }))

/** The filters of the runs list. `assistants`: the choices, if the page has one server. */
export function RunFilters(props: {
  search: RunsSearch
  onChange: (change: Partial<RunsSearch>) => void
  assistants?: readonly { value: string; label: string }[]
}) {
  const { search, onChange, assistants } = props
  return (
    <Filters>
      <SearchFilter
        label="Text of the error"
        value={search.error}
        onChange={(error) => onChange({ error })}
      />
      <JsonFilter
        label="Metadata"
        value={search.metadata}
        onChange={(metadata) => onChange({ metadata })}
      />
      <ChoiceFilter
        label="Status"
        any="Any status"
        value={search.status}
        onChange={(status) => onChange({ status })}
        choices={STATUSES}
      />
      <ChoiceFilter
        label="When"
        any="Any time"
        value={search.since}
        onChange={(since) => onChange({ since })}
        choices={SPAN_CHOICES}
      />
      {assistants && (
        <ChoiceFilter
          label="Assistant"
          any="Any assistant"
          value={search.assistant}
          onChange={(assistant) => onChange({ assistant })}
          choices={assistants}
        />
      )}
    </Filters>
  )
}
