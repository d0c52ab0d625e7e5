/** The history's search parameters in the Studio, besides the thread. */
import { z } from 'zod'
import { addressText, useAddress } from '../../shell/address.ts'

const STATE_VIEWS = ['changes', 'state', 'tasks'] as const
export type StateView = (typeof STATE_VIEWS)[number]

const searchSchema = z.object({
  checkpoint: addressText,
  /** A checkpoint of the chosen branch, if several contain the selected one. */
  branch: addressText,
  /** The view of the selected checkpoint. */
  show: z.enum(STATE_VIEWS).optional().catch(undefined),
  /** The editor for a fork of the selected checkpoint is open. */
  fork: z.coerce.boolean().optional().catch(undefined),
})

/** The search parameters, and a function to change some of them together with the selected checkpoint. */
export function useHistorySearch() {
  const [search, change] = useAddress(searchSchema, { resetScroll: false })
  return { search, change }
}
