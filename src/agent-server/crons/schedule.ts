/** Computes when a cron is due. The library croner handles expressions and time zones. */
import { Cron as Schedule } from 'croner'
import type { Cron } from '../../core/agent/cron.ts'
import { invalidField } from '../../core/errors.ts'

/** Throws `invalid` with the field's name for a schedule that croner cannot read. */
export function checkSchedule({ schedule, timezone }: Pick<Cron, 'schedule' | 'timezone'>): void {
  checkTimezone(timezone)
  if (!isExpression(schedule)) throw badSchedule(schedule, FORM)
  let next: Date | null
  try {
    next = parse({ schedule, timezone }).nextRun(new Date(0))
  } catch (cause) {
    throw badSchedule(schedule, (cause as Error).message)
  }
  if (!next) throw badSchedule(schedule, 'there is no such day')
}

/**
 * The cron's first due time after `after` (ms since 1970) and before its end. `null`: the cron has
 * none, or is not enabled.
 */
export function nextRunDate(
  cron: Pick<Cron, 'schedule' | 'timezone' | 'end_time' | 'enabled'>,
  after: number,
): string | null {
  if (!cron.enabled) return null
  const next = parse(cron).nextRun(new Date(after))
  if (!next || (cron.end_time !== null && next.getTime() >= Date.parse(cron.end_time))) return null
  return next.toISOString()
}

const FORM = 'write five fields (minute, hour, day of the month, month, day of the week) or @daily'

/** Excludes dates, which croner also accepts: they would fire only once. */
function isExpression(schedule: string): boolean {
  const fields = schedule.trim().split(/\s+/)
  return fields.length === 5 || /^@\w+$/.test(schedule.trim())
}

function parse({ schedule, timezone }: Pick<Cron, 'schedule' | 'timezone'>): Schedule {
  return new Schedule(schedule, { mode: '5-part', paused: true, timezone: timezone ?? 'UTC' })
}

function badSchedule(schedule: string, reason: string) {
  const message = `"${schedule}" is no schedule: ${reason}.`
  return invalidField(['body', 'schedule'], message)
}

function checkTimezone(timezone: string | null): void {
  if (timezone === null) return
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone })
  } catch {
    const message = `There is no time zone "${timezone}"; write an IANA name such as "Europe/Berlin".`
    throw invalidField(['body', 'timezone'], message)
  }
}
