/** Schedules in words, and when they are due. */
import { Cron } from 'croner'
import cronstrue from 'cronstrue'

/** `At 09:00, Monday through Friday`; the schedule itself where it has no words. */
export function scheduleText(schedule: string): string {
  try {
    return cronstrue.toString(schedule, { use24HourTimeFormat: true, verbose: false })
  } catch {
    return schedule
  }
}

/** The next times in ms since 1970; `undefined`: it is no schedule, or the time zone is none. */
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
