/** The search parameters of the assistants' dialog in the Studio: which assistant, and which view. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { z } from 'zod'

export const ASSISTANT_VIEWS = ['settings', 'versions', 'schemas'] as const
export type AssistantView = (typeof ASSISTANT_VIEWS)[number]

/** In place of an assistant's id: the form for a new one. */
export const NEW = 'new'

const searchSchema = z.object({
  /** An assistant's id, or `new`. */
  edit: z.coerce.string().min(1).optional().catch(undefined),
  about: z.enum(ASSISTANT_VIEWS).optional().catch(undefined),
  /** The version that is compared with the active one. */
  version: z.coerce.number().int().positive().optional().catch(undefined),
})

export type AssistantSearch = z.infer<typeof searchSchema>

export function useAssistantSearch() {
  const raw = useSearch({ strict: false })
  const search = useMemo(() => searchSchema.parse(raw), [raw])
  const navigate = useNavigate()
  const change = useCallback(
    (values: Partial<AssistantSearch>) =>
      void navigate({
        to: '.',
        resetScroll: false,
        search: ((before: object) => ({ ...before, ...values })) as never,
      }),
    [navigate],
  )
  const close = useCallback(
    () => change({ edit: undefined, about: undefined, version: undefined }),
    [change],
  )
  return { search, change, close }
}
