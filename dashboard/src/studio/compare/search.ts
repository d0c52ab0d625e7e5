/** The two sides of a comparison, in the address. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { z } from 'zod'

/** A thread's current state, its state at a checkpoint, or the state a run left. */
export interface Side {
  thread: string
  checkpoint?: string | undefined
  run?: string | undefined
}

const side = z
  .string()
  .regex(/^[^/]+(\/(checkpoint|run)\/[^/]+)?$/)
  .transform((text): Side => {
    const [thread = '', kind, id] = text.split('/')
    return kind ? { thread, [kind]: id } : { thread }
  })
  .optional()
  .catch(undefined)

const searchSchema = z.object({ left: side, right: side })

export type CompareSearch = z.infer<typeof searchSchema>

/** The address of a comparison, derived from that of the assistant's Studio. */
export function comparePath(studio: string, sides: CompareSearch): string {
  const [path = studio] = studio.split('?')
  return `${path}/compare?${new URLSearchParams(textsOf(sides))}`
}

export function useCompareSearch() {
  const raw = useSearch({ strict: false })
  const search = useMemo(() => searchSchema.parse(raw), [raw])
  const navigate = useNavigate()
  const change = useCallback(
    (sides: CompareSearch) =>
      void navigate({
        to: '.',
        resetScroll: false,
        search: ((before: object) => ({ ...before, ...textsOf(sides) })) as never,
      }),
    [navigate],
  )
  return { search, change }
}

function textsOf(sides: CompareSearch): Record<string, string> {
  const given = Object.entries(sides).filter((entry): entry is [string, Side] => !!entry[1])
  return Object.fromEntries(given.map(([name, one]) => [name, textOf(one)]))
}

function textOf({ thread, checkpoint, run }: Side): string {
  if (checkpoint) return `${thread}/checkpoint/${checkpoint}`
  return run ? `${thread}/run/${run}` : thread
}
