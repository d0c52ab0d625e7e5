/** Schedules in words, and when they are due. */
import { Cron } from 'croner'
import cronstrue from 'cronstrue'

/** `At 09:00, Monday through Friday`; the schedule itself if it cannot be put into words. */
export function scheduleText(schedule: string): string {
  try {
    return cronstrue.toString(schedule, { use24HourTimeFormat: true, verbose: false })
  } catch {
    return schedule
  }
}

/** The next times in ms since 1970; `undefined`: the schedule or the time zone is invalid. */
export function nextTimes(
  schedule: string,
  timezone: string | null,
  count: number,
): number[] | undefined {
  try {
    const cron = new Cron(schedule, { timezone: timezone ?? 'UTC', mode: '5-part', paused: true })
    return cron.nextRuns(count).map((time) => time.getTime())
  } catch {
    return undefined
  }
}
