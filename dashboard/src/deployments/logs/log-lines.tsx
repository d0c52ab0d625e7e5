import type { LogEntry } from '@runyard/client'
import { Link } from '@tanstack/react-router'
import { pagesOf } from '../../api/deployment-pages.ts'
import { classes } from '../../design/classes.ts'
import { ChevronDown, ChevronRight, Filter } from '../../design/icon.gen.tsx'
import { Facts, TextLink } from '../../design/page.tsx'
import { exactText, shortId } from '../../design/text/format.ts'
import { Id } from '../../design/text/id.tsx'
import { errorOf, fieldsText, idIn, type LineParts, partsOf, valueText } from './fields.ts'

const INK: Record<LogEntry['level'], string> = {
  DEBUG: 'text-ink-faint',
  INFO: '',
  WARNING: 'text-wait',
  ERROR: 'text-bad',
  CRITICAL: 'text-bad font-semibold',
}

/** A few lines of a log, the last ones in view, without following it. */
export function LogLines({ entries, label }: { entries: readonly LogEntry[]; label: string }) {
  return (
    <section
      ref={showEnd}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
      className="max-h-80 overflow-auto rounded-md border border-line bg-sunken py-2"
    >
      {entries.map((entry) => (
        <LogLine key={entry.id} entry={entry} isWrapped />
      ))}
    </section>
  )
}

function showEnd(frame: HTMLElement | null): void {
  if (frame) frame.scrollTop = frame.scrollHeight
}

/** One line as a row: time, level, message, fields and run. A narrow window wraps the message, below the time. */
export function LogLine(props: {
  entry: LogEntry
  isWrapped: boolean
  /** With it, ids are links. */
  deployment_id?: string
  isOpen?: boolean
  /** Opens or closes the line. */
  onOpen?: () => void
}) {
  const { deployment_id, isOpen } = props
  const { level, timestamp, message, source } = props.entry
  const { text, fields } = partsOf(message)
  const facts = Object.keys(fields).map(
    (name) => [name, <FieldValue key={name} {...{ name, fields, deployment_id }} />] as const,
  )
  const isBad = level === 'ERROR' || level === 'CRITICAL'
  return (
    <div
      className={classes(
        'border-line/60 px-3 py-px font-mono text-sm max-sm:border-b max-sm:py-1',
        isOpen ? 'bg-accent-soft' : isBad ? 'bg-bad-soft' : 'hover:bg-hover',
      )}
    >
      <div className="flex items-start gap-x-3 max-sm:flex-wrap">
        <LineTime timestamp={timestamp} isOpen={isOpen} onOpen={props.onOpen} />
        <span className={classes('shrink-0 sm:w-16', INK[level] || 'text-ink-faint')}>{level}</span>
        <span
          className={classes(
            'min-w-0 flex-1 max-sm:order-last max-sm:basis-full max-sm:wrap-anywhere max-sm:whitespace-pre-wrap',
            INK[level],
            props.isWrapped || isOpen ? 'wrap-anywhere whitespace-pre-wrap' : 'truncate',
          )}
        >
          {source === 'project' && (
            <span className="mr-2 text-ink-faint select-none" title="Printed by the project">
              |
            </span>
          )}
          {`${text} `}
          {!isOpen && <span className="text-ink-soft">{fieldsText(fields)}</span>}
        </span>
        {deployment_id && <RunLink deployment_id={deployment_id} fields={fields} />}
      </div>
      {isOpen && (
        <div className="py-2 font-sans sm:pl-6">
          <Facts facts={[['time', timestamp], ...facts]} />
        </div>
      )}
    </div>
  )
}

/** The run of the line, and the log of only this run. */
function RunLink(props: { deployment_id: string; fields: LineParts['fields'] }) {
  const page = pageOf({ ...props, name: 'run_id' })
  const run = idIn(props.fields, 'run_id')
  if (!run) return null
  return (
    <span className="flex shrink-0 items-center gap-1.5 max-sm:ml-auto">
      {page ? <TextLink to={page}>{shortId(run)}</TextLink> : shortId(run)}
      <Link
        to={`${pagesOf(props.deployment_id).logs}?run=${run}`}
        aria-label="Only this run"
        title="Only this run"
        className="rounded-sm p-0.5 text-ink-faint hover:text-accent"
      >
        <Filter size={14} aria-hidden="true" />
      </Link>
    </span>
  )
}

interface Field {
  name: string
  fields: LineParts['fields']
  deployment_id: string | undefined
}

function FieldValue(field: Field) {
  const { name, fields, deployment_id } = field
  const id = idIn(fields, name)
  const noun = /^(run|thread|request)_id$/.exec(name)?.[1]
  if (!id || !noun || !deployment_id) {
    const text = errorOf(fields[name])?.stack ?? valueText(fields[name], 2)
    return <span className="font-mono text-sm wrap-anywhere whitespace-pre-wrap">{text}</span>
  }
  const page = pageOf(field)
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      {page ? <TextLink to={page}>{id}</TextLink> : <Id id={id} />}
      <TextLink to={`${pagesOf(deployment_id).logs}?run=${id}`}>{`Only this ${noun}`}</TextLink>
    </span>
  )
}

/** The page of a thread, or of a run whose thread is known. */
function pageOf({ name, fields, deployment_id }: Field): string | undefined {
  const [run, thread] = [idIn(fields, 'run_id'), idIn(fields, 'thread_id')]
  if (!thread || !deployment_id || name === 'request_id') return undefined
  const page = pagesOf(deployment_id).thread(thread)
  return name === 'run_id' ? `${page}/runs/${run}` : page
}

function LineTime(props: {
  timestamp: string
  isOpen: boolean | undefined
  onOpen: (() => void) | undefined
}) {
  const { timestamp, isOpen, onOpen } = props
  const looks = 'flex shrink-0 items-center gap-1 text-ink-soft select-none'
  const time = (
    <time dateTime={timestamp} title={exactText(Date.parse(timestamp))}>
      {clockText(timestamp)}
    </time>
  )
  if (!onOpen) return <span className={looks}>{time}</span>
  return (
    <button
      type="button"
      aria-expanded={isOpen ?? false}
      onClick={onOpen}
      className={`${looks} -ml-1 hover:text-accent`}
    >
      {isOpen ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
      {time}
    </button>
  )
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const day = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short' })

/** With its day, unless that is today. */
function clockText(timestamp: string): string {
  const at = new Date(timestamp)
  const time = `${clock.format(at)}.${timestamp.slice(20, 23)}`
  return at.toDateString() === new Date().toDateString() ? time : `${day.format(at)} ${time}`
}
