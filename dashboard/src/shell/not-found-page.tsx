import { ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { Page } from '../design/page.tsx'

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
