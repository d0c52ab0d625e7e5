/** The breakpoints of the next runs, as the nodes of the drawing show them. */
import { useCallback, useMemo, useReducer } from 'react'
import { z } from 'zod'
import type { Breakpoints } from '../studio-context.tsx'

export type Side = keyof Breakpoints

const NONE: Breakpoints = { before: [], after: [] }
const nodes = z.array(z.string())
const keptSchema = z.object({ before: nodes, after: nodes })

/** A run stops only at nodes of its own graph, not at those of a subgraph. */
export function canStopAt(id: string): boolean {
  return !id.includes(':') && id !== '__start__' && id !== '__end__'
}

export function withBreakpoint(
  breakpoints: Breakpoints,
  side: Side,
  node: string,
  isSet: boolean,
): Breakpoints {
  const others = breakpoints[side].filter((one) => one !== node)
  return { ...breakpoints, [side]: isSet ? [...others, node] : others }
}

/** The stored breakpoints; none if the text has another shape. */
export function readBreakpoints(text: string | null): Breakpoints {
  try {
    return keptSchema.parse(JSON.parse(text ?? ''))
  } catch {
    return NONE
  }
}

/** The breakpoints of one assistant of a server, kept in this tab until it is closed. */
export function useBreakpoints(serverKey: string, assistantId: string) {
  const place = `runyard.breakpoints.${serverKey}.${assistantId}`
  const [, renderAgain] = useReducer((times: number) => times + 1, 0)
  const text = sessionStorage.getItem(place)
  const breakpoints = useMemo(() => readBreakpoints(text), [text])
  const setBreakpoints = useCallback(
    (given: Breakpoints) => {
      sessionStorage.setItem(place, JSON.stringify(given))
      renderAgain()
    },
    [place],
  )
  return [breakpoints, setBreakpoints] as const
}
