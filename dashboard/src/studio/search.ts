/** The Studio's search parameters, so that a link shows exactly what its sender sees. */
import { z } from 'zod'
import { addressText, useAddress } from '../shell/address.ts'

export const COLUMNS = ['graph', 'talk', 'state'] as const
export type ColumnName = (typeof COLUMNS)[number]

const searchSchema = z.object({
  thread: addressText,
  checkpoint: addressText,
  /** The open columns, joined by dots; absent: all. */
  panels: addressText,
  /** The column that a narrow screen shows. */
  view: z.enum(COLUMNS).optional().catch(undefined),
  /** The input's form if both are possible: a message, or the form. */
  input: z.enum(['chat', 'form']).optional().catch(undefined),
  /** The node whose input and output are shown. */
  node: addressText,
  /** The graphs within the graph that are drawn as boxes. */
  unfolded: z.array(z.string()).optional().catch(undefined),
  /** The graph fills the page. */
  canvas: z.literal(true).optional().catch(undefined),
})

/** The search parameters, and a function to change some of them. */
export function useStudioSearch() {
  const [search, change] = useAddress(searchSchema, { resetScroll: false })
  return { search, change }
}
