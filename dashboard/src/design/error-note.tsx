import { ControlPlaneError } from '@runyard/client'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { CircleAlert } from './icon.gen.tsx'

/** An error, its reason, and what to do. `retry`: tries again. */
export function ErrorNote(props: {
  error: unknown
  /** The failed action: "The revisions could not be read." */
  title?: string
  retry?: () => void
  children?: ReactNode
}) {
  const { error, title, retry, children } = props
  const requestId = error instanceof ControlPlaneError ? error.requestId : undefined
  return (
    <div
      role="alert"
      className="flex gap-2.5 rounded-md border border-bad/40 bg-bad-soft px-3 py-2.5"
    >
      <CircleAlert size={16} className="mt-0.5 shrink-0 text-bad" aria-hidden="true" />
      <div className="min-w-0 flex-1 space-y-1">
        {title && <p className="font-medium">{title}</p>}
        <p className="wrap-anywhere">{reasonOf(error)}</p>
        {requestId && (
          <p className="text-xs text-ink-soft">
            In the server's log under request <code>{requestId}</code>
          </p>
        )}
        {children}
      </div>
      {retry && (
        <Button size="sm" onPress={retry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** The sentence to show for any thrown value. */
export function reasonOf(error: unknown): string {
  if (error instanceof TypeError && /fetch/i.test(error.message))
    return 'The server does not answer.'
  return error instanceof Error ? error.message : String(error)
}
