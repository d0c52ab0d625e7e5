/** The two sides of a comparison, in the address. */
import { useCallback } from 'react'
import { z } from 'zod'
import { useAddress } from '../../shell/address.ts'

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
  const [search, write] = useAddress(searchSchema, { resetScroll: false })
  const change = useCallback((sides: CompareSearch) => write(textsOf(sides) as never), [write])
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
