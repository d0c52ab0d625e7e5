import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNote } from './error-note.tsx'
import { Skeleton } from './skeleton.tsx'

/**
 * Renders a query: a skeleton until data arrives, or the error. If a later read fails, the old data stays, with the
 * error above it.
 */
export function QueryView<T>(props: {
  query: UseQueryResult<T>
  /** The name of the data for the error: "the revisions". */
  what: string
  skeleton?: ReactNode
  children: (data: T) => ReactNode
}) {
  const { query, what } = props
  const note = query.error && (
    <ErrorNote
      error={query.error}
      title={`Could not read ${what}.`}
      retry={() => void query.refetch()}
    />
  )
  if (query.data === undefined) return note ?? props.skeleton ?? <Skeleton lines={5} />
  return (
    <>
      {note && <div className="mb-3">{note}</div>}
      {props.children(query.data)}
    </>
  )
}
