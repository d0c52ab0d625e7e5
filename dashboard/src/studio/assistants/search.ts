/** The search parameters of the assistants' dialog in the Studio: which assistant, and which view. */
import { useCallback } from 'react'
import { z } from 'zod'
import { addressText, useAddress } from '../../shell/address.ts'

const ASSISTANT_VIEWS = ['settings', 'versions', 'schemas'] as const
export type AssistantView = (typeof ASSISTANT_VIEWS)[number]

/** In place of an assistant's id: the form for a new one. */
export const NEW = 'new'

const searchSchema = z.object({
  /** An assistant's id, or `new`. */
  edit: addressText,
  about: z.enum(ASSISTANT_VIEWS).optional().catch(undefined),
  /** The version that is compared with the active one. */
  version: z.coerce.number().int().positive().optional().catch(undefined),
})

export function useAssistantSearch() {
  const [search, change] = useAddress(searchSchema, { resetScroll: false })
  const close = useCallback(
    () => change({ edit: undefined, about: undefined, version: undefined }),
    [change],
  )
  return { search, change, close }
}
