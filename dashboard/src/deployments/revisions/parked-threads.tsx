import type { Revision } from '@runyard/client'
import { pagesOf } from '../../api/deployment-pages.ts'
import { TextLink } from '../../design/page.tsx'
import { Mark } from '../../design/status.tsx'
import { Id } from '../../design/text/id.tsx'
import { Time } from '../../design/text/time.tsx'

type Parked = NonNullable<Revision['parked_threads']>
type ParkedThread = Parked['threads'][number]

/** The result of the check of parked threads, made before this revision got its first request. */
export function ParkedThreads(props: { deployment_id: string; parked: Parked }) {
  const { parked, broken, checked_at } = props.parked
  if (parked === 0) return null
  if (broken === 0) {
    return (
      <p className="flex items-center gap-2 text-ink-soft">
        <Mark tone="good" />
        {`${threadsText(parked)} in the middle of a graph: it can go on with all of them.`}
      </p>
    )
  }
  return (
    <div className="rounded-md border border-wait/40 bg-wait-soft px-3 py-2.5">
      <p className="flex items-center gap-2 font-medium">
        <Mark tone="wait" />
        {`It cannot go on with ${broken} of ${threadsText(parked)} that ${parked === 1 ? 'was' : 'were'} in the middle of a graph.`}
      </p>
      <p className="mb-2 text-sm text-ink-soft">
        Looked at <Time at={checked_at} />, before its first request. A rollback goes on with them.
      </p>
      <ParkedVerdicts deployment_id={props.deployment_id} parked={props.parked} />
    </div>
  )
}

/** The first threads that the revision cannot continue, and what each of them misses. `rest`: links to the others. */
export function ParkedVerdicts(props: {
  deployment_id: string
  parked: Parked
  most?: number
  rest?: string
}) {
  const { threads, broken } = props.parked
  const shown = threads.slice(0, props.most)
  const more = `${broken - shown.length} more`
  return (
    <ul className="space-y-1 text-sm">
      {shown.map((thread) => (
        <li key={thread.thread_id} className="flex flex-wrap items-center gap-x-3">
          <TextLink to={pagesOf(props.deployment_id).thread(thread.thread_id)}>
            <Id id={thread.thread_id} isBare />
          </TextLink>
          <span>{verdictOf(thread)}</span>
        </li>
      ))}
      {broken > shown.length && (
        <li>{props.rest ? <TextLink to={props.rest}>{more}</TextLink> : more}</li>
      )}
    </ul>
  )
}

function verdictOf({ graph_id, is_graph_missing, missing_nodes, missing_keys }: ParkedThread) {
  if (is_graph_missing) return `The graph ${graph_id} is not there any more.`
  const parts = [
    missing_nodes.length > 0 && namesText('node', missing_nodes),
    missing_keys.length > 0 && `${namesText('key', missing_keys)} of its state`,
  ].filter(Boolean)
  return `${graph_id} no longer has ${parts.join(', nor ')}.`
}

function namesText(kind: string, names: readonly string[]): string {
  return `the ${names.length === 1 ? kind : `${kind}s`} ${names.join(', ')}`
}

function threadsText(count: number): string {
  return count === 1 ? '1 thread' : `${count} threads`
}
