/** The history's search parameters in the Studio, besides the thread and the checkpoint. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { z } from 'zod'

export const STATE_VIEWS = ['changes', 'state', 'tasks'] as const
export type StateView = (typeof STATE_VIEWS)[number]

const text = z.coerce.string().min(1).optional().catch(undefined)

const searchSchema = z.object({
  /** A checkpoint of the chosen branch, if several contain the selected one. */
  branch: text,
  /** The view of the selected checkpoint. */
  show: z.enum(STATE_VIEWS).optional().catch(undefined),
  /** The editor for a fork of the selected checkpoint is open. */
  fork: z.coerce.boolean().optional().catch(undefined),
})

export type HistorySearch = z.infer<typeof searchSchema>

/** The search parameters, and a function to change some of them together with the selected checkpoint. */
export function useHistorySearch() {
  const raw = useSearch({ strict: false })
  const search = useMemo(() => searchSchema.parse(raw), [raw])
  const navigate = useNavigate()
  const change = useCallback(
    (
      values: Partial<HistorySearch> & { checkpoint?: string | undefined },
      options: { replace?: boolean } = {},
    ) => {
      void navigate({
        to: '.',
        resetScroll: false,
        search: ((before: object) => ({ ...before, ...values })) as never,
        replace: options.replace ?? false,
      })
    },
    [navigate],
  )
  return { search, change }
}
