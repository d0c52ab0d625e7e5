/** The Studio's search parameters, so that a link shows exactly what its sender sees. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { z } from 'zod'

export const COLUMNS = ['graph', 'talk', 'state'] as const
export type ColumnName = (typeof COLUMNS)[number]

const text = z.coerce.string().min(1).optional().catch(undefined)

const searchSchema = z.object({
  thread: text,
  checkpoint: text,
  /** The open columns, joined by dots; absent: all. */
  panels: text,
  /** The column that a narrow screen shows. */
  view: z.enum(COLUMNS).optional().catch(undefined),
  /** The input's form if both are possible: a message, or the form. */
  input: z.enum(['chat', 'form']).optional().catch(undefined),
  /** The node whose input and output are shown. */
  node: text,
})

export type StudioSearch = z.infer<typeof searchSchema>

/** The search parameters, and a function to change some of them; `undefined` removes one. */
export function useStudioSearch() {
  const raw = useSearch({ strict: false })
  const search = useMemo(() => searchSchema.parse(raw), [raw])
  const navigate = useNavigate()
  const change = useCallback(
    (values: Partial<StudioSearch>, options: { replace?: boolean } = {}) => {
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
