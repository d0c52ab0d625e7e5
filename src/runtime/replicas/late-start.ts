/** The time limit for an agent server's start, and the message when it takes longer. */
import { readLine } from '../../core/deployment/log-source.ts'

/** Without `RUNYARD_START_TIMEOUT_SECS`, in ms: large packages of projects take minutes to import. */
export const DEFAULT_HEALTH_TIMEOUT_MS = 300_000

/** `doing`: the step of its start that it reported; absent: none. */
export function lateStart(limitMs: number, doing: string | undefined): string {
  const late = `The agent server was not healthy within ${limitMs / 1000} s`
  return `${late}${doing === undefined ? '' : `: it ${doing}`}. RUNYARD_START_TIMEOUT_SECS sets the limit.`
}

/** The step that a noted line of an agent server's log names: it may block its process before a driver has connected. */
export function stepIn(noted: string): string | undefined {
  const { text, source } = readLine(noted)
  if (source !== 'server') return undefined
  try {
    const { doing } = JSON.parse(text)
    return typeof doing === 'string' ? doing : undefined
  } catch {
    return undefined
  }
}
