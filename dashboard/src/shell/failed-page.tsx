import { ErrorNote } from '../design/error-note.tsx'
import { Page } from '../design/page.tsx'

/** Shown in place of a page that failed to render. */
export function FailedPage({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <Page title="This page could not be shown">
      <ErrorNote error={error} retry={reset} />
    </Page>
  )
}
