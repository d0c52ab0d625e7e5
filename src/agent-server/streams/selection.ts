/** Which of a run's events a client wants to see. */
import type { NewEvent } from '../../core/agent/event.ts'
import type { StreamMode } from '../../core/agent/stream-mode.ts'

export interface Selection {
  /** Absent: all that the run was created with. */
  modes?: readonly StreamMode[]
  /**
   * Only what comes from these namespaces and from their subgraphs, without the sub-agents that they start; each as
   * events name it (`child:<task>|inner:<task>`), the task may be left out. Empty: the root graph. Absent: all.
   */
  namespaces?: readonly string[]
}

/** The beginning of the run and its failure are always shown. */
export function isSelected({ event }: NewEvent, { modes, namespaces }: Selection): boolean {
  const [name = event, ...namespace] = event.split('|')
  if (name === 'metadata' || name === 'error') return true
  if (modes && !modes.some((mode) => mode === modeOf(name))) return false
  return !namespaces || namespaces.some((one) => isWithin(namespace, one))
}

/** `isSelected` for the events of a page: most of them have the same name, which alone decides. */
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

/** `messages/partial` and its like belong to mode `messages`, plain `messages` to the tuples. */
function modeOf(name: string): string | undefined {
  return name === 'messages' ? 'messages-tuple' : name.split('/', 1)[0]
}

function isWithin(namespace: string[], wanted: string): boolean {
  const parts = wanted === '' ? [] : wanted.split('|')
  if (!parts.every((part, i) => namespace[i] === part || nodeOf(namespace[i]) === part))
    return false
  return !namespace.slice(parts.length).some((part) => nodeOf(part) === SUBAGENTS)
}

/** The node below which the SDKs look for sub-agents: the one that calls tools. */
const SUBAGENTS = 'tools'

function nodeOf(part: string | undefined): string | undefined {
  return part?.split(':', 1)[0]
}
