import { exactText } from '../design/text/format.ts'
import { Time } from '../design/text/time.tsx'
import { nextTimes } from './schedule.ts'

/** The next times of a schedule; an empty schedule is paused. */
export function NextTimes(props: { schedule: string; timezone: string | null; count: number }) {
  const times = props.schedule ? nextTimes(props.schedule, props.timezone, props.count) : []
  if (!times || times.length === 0) {
    return <p className="text-ink-faint">{props.schedule ? 'It is never due.' : 'It is paused.'}</p>
  }
  return (
    <div>
      <p className="mb-1 text-sm text-ink-soft">Next runs, in your time zone</p>
      <ul className="space-y-0.5 text-sm">
        {times.map((at) => (
          <li key={at} className="flex justify-between gap-4 tabular-nums">
            <span>{exactText(at)}</span>
            <span className="text-ink-faint">
              <Time at={at} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
