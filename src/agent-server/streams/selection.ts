/** Selects the events of a run that a client wants. */
import type { NewEvent } from '../../core/agent/event.ts'
import type { StreamMode } from '../../core/agent/stream-mode.ts'

export interface Selection {
  /** Absent: all modes of the run. */
  modes?: readonly StreamMode[]
  /**
   * Only events of these namespaces and their subgraphs, without the sub-agents that they start. Each has the form of
   * events' names (`child:<task>|inner:<task>`), with or without tasks. Empty: the root graph. Absent: all.
   */
  namespaces?: readonly string[]
}

/** The run's beginning and failure are always selected. */
export function isSelected({ event }: NewEvent, { modes, namespaces }: Selection): boolean {
  const [name = event, ...namespace] = event.split('|')
  if (name === 'metadata' || name === 'error') return true
  if (modes && !modes.some((mode) => mode === modeOf(name))) return false
  return !namespaces || namespaces.some((one) => isWithin(namespace, one))
}

/** `isSelected` for the events of a page, cached by name: only the name decides, and most events share one. */
export function selector(selection: Selection): (event: NewEvent) => boolean {
  const known = new Map<string, boolean>()
  return ({ event, data }) => {
    let isShown = known.get(event)
    if (isShown === undefined) {
      isShown = isSelected({ event, data }, selection)
      known.set(event, isShown)
    }
    return isShown
  }
}

/** `messages/…` events belong to mode `messages`, plain `messages` to `messages-tuple`. */
function modeOf(name: string): string | undefined {
  return name === 'messages' ? 'messages-tuple' : name.split('/', 1)[0]
}

function isWithin(namespace: string[], wanted: string): boolean {
  const parts = wanted === '' ? [] : wanted.split('|')
  if (!parts.every((part, i) => namespace[i] === part || nodeOf(namespace[i]) === part))
    return false
  return !namespace.slice(parts.length).some((part) => nodeOf(part) === SUBAGENTS)
}

/** The node that calls tools. The SDKs look for sub-agents below it. */
const SUBAGENTS = 'tools'

function nodeOf(part: string | undefined): string | undefined {
  return part?.split(':', 1)[0]
}
