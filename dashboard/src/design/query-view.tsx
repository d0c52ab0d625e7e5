import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNote } from './error-note.tsx'
import { Skeleton } from './skeleton.tsx'

/**
 * Draws what a query has found: the shape of it while nothing is there, the reason when it failed. Data
 * that is there stays when a later look fails; the reason stands above it.
 */
export function QueryView<T>(props: {
  query: UseQueryResult<T>
  /** What could not be read: "the revisions". */
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
