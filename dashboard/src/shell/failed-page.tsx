import { ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
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

export function NotFoundPage() {
  return (
    <Page title="Nothing is here">
      <Empty
        title="No page has this address."
        action={<ButtonLink to="/">To the start</ButtonLink>}
      >
        What it showed may have been deleted, or the address was cut when it was copied.
      </Empty>
    </Page>
  )
}
