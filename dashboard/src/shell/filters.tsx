/** The filters above a list. Each value is in the page's address; absent: any. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { assistantsQuery } from '../api/assistants.ts'
import { isMetadata } from '../api/metadata-text.ts'
import { type Choice, SearchField, SelectField, TextField } from '../design/field.tsx'
import { countText } from '../design/text/format.ts'
import { spanChoices } from './spans.ts'

/** The select's value for "no filter". */
const ANY = 'any'

interface Filter<T extends string> {
  label: string
  value: T | undefined
  onChange: (value: T | undefined) => void
}

/** All of a page's filters fit in one line on a laptop's screen (1440 px). */
export function Filters({ children }: { children: ReactNode }) {
  return <search className="mb-3 grid grid-cols-2 gap-2 lg:flex lg:flex-wrap">{children}</search>
}

export function SearchFilter({ label, value = '', onChange }: Filter<string>) {
  return (
    <div className="max-sm:col-span-2 lg:max-w-80 lg:min-w-60 lg:flex-1">
      <SearchField label={label} value={value} onChange={(text) => onChange(text || undefined)} />
    </div>
  )
}

/** Says that a search for a text has not looked at everything. */
export function SearchBound({ what, lookedAt }: { what: string; lookedAt: number | undefined }) {
  return (
    lookedAt !== undefined && (
      <span className="text-wait">
        {' '}
        Only the latest {countText(lookedAt)} {what} were searched.
      </span>
    )
  )
}

/** A part of a text, with suggestions of whole ones. */
export function TextFilter(props: Filter<string> & { suggestions: readonly string[] }) {
  const { label, value = '', onChange, suggestions } = props
  const id = useId()
  return (
    <div className="max-sm:col-span-2 lg:w-48">
      <TextField
        label={label}
        isLabelHidden
        placeholder={label}
        value={value}
        onChange={(text) => onChange(text || undefined)}
        list={id}
      />
      <Suggestions id={id} texts={suggestions} />
    </div>
  )
}

function Suggestions({ id, texts }: { id: string; texts: readonly string[] }) {
  return (
    <datalist id={id}>
      {[...new Set(texts)].toSorted().map((text) => (
        <option key={text} value={text} />
      ))}
    </datalist>
  )
}

/** `key=value`, or a JSON object. `suggestions`: pairs, each of which may follow the typed ones. */
export function JsonFilter(props: Filter<string> & { suggestions?: readonly string[] }) {
  const { label, value = '', onChange, suggestions = [] } = props
  const id = useId()
  const typed = value.slice(0, value.lastIndexOf(' ') + 1)
  return (
    <div className="max-sm:col-span-2 lg:w-48">
      <TextField
        label={label}
        isLabelHidden
        isMono
        placeholder={`${label}: key=value`}
        value={value}
        onChange={(text) => onChange(text || undefined)}
        {...(!isMetadata(value) && { error: 'key=value, or JSON' })}
        list={id}
      />
      <Suggestions id={id} texts={suggestions.map((pair) => typed + pair)} />
    </div>
  )
}

/** `any`: the label of "no filter". */
export function ChoiceFilter<T extends string>(
  props: Filter<T> & { any: string; choices: readonly Choice<T>[] },
) {
  const { label, value, onChange, any, choices } = props
  return (
    <div className="lg:w-40">
      <SelectField<T | typeof ANY>
        label={label}
        isLabelHidden
        value={value ?? ANY}
        onChange={(one) => onChange(one === ANY ? undefined : (one as T))}
        choices={[{ value: ANY, label: any }, ...choices]}
      />
    </div>
  )
}

const SPAN_CHOICES = spanChoices('hour', 'day', 'week')

/** How long ago. */
export function SpanFilter(props: Filter<(typeof SPAN_CHOICES)[number]['value']>) {
  return <ChoiceFilter any="Any time" choices={SPAN_CHOICES} {...props} />
}

/** One of the server's assistants, by its id. */
export function AssistantFilter(props: Omit<Filter<string>, 'label'> & { server: AgentServer }) {
  const { server, value, onChange } = props
  const assistants = useQuery(assistantsQuery(server)).data ?? []
  return (
    <ChoiceFilter
      label="Assistant"
      any="Any assistant"
      value={value}
      onChange={onChange}
      choices={assistants.map(({ assistant_id, name }) => ({ value: assistant_id, label: name }))}
    />
  )
}
