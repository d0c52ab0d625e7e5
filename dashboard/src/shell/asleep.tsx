import { Button } from '../design/button.tsx'
import { Card } from '../design/page.tsx'
import { Status } from '../design/status.tsx'
import { Time } from '../design/text/time.tsx'

/** Shown in place of a sleeping agent server's data. The button wakes the server; opening the page does not. */
export function Asleep(props: {
  since: string | null | undefined
  isWaking: boolean
  /** The text of the button. */
  verb: string
  onWake: () => void
}) {
  const { since, isWaking, verb, onWake } = props
  return (
    <Card className="flex flex-col items-center justify-center gap-3 py-10 text-center">
      <p className="flex flex-wrap items-center justify-center gap-2">
        {isWaking ? <Status tone="live">Wakes up</Status> : <Status tone="off">Asleep</Status>}
        {since && !isWaking && (
          <span className="text-ink-soft">
            since <Time at={since} />
          </span>
        )}
      </p>
      <p className="max-w-prose text-ink-soft">
        It had no requests for a while. The next request wakes it.
      </p>
      <Button kind="primary" isPending={isWaking} onPress={onWake}>
        {verb}
      </Button>
    </Card>
  )
}
