/** What of the Studio stands in its address, so that a link shows just what its sender sees. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { z } from 'zod'

export const COLUMNS = ['graph', 'talk', 'state'] as const
export type ColumnName = (typeof COLUMNS)[number]

const text = z.coerce.string().min(1).optional().catch(undefined)

const searchSchema = z.object({
  thread: text,
  checkpoint: text,
  /** The columns that are open, with dots between them; absent: all. */
  panels: text,
  /** The one that a narrow screen shows. */
  view: z.enum(COLUMNS).optional().catch(undefined),
  /** How the input is given where it can be both: as a message, or by the form. */
  input: z.enum(['chat', 'form']).optional().catch(undefined),
  /** The node of the graph whose reads and writes are shown. */
  node: text,
})

export type StudioSearch = z.infer<typeof searchSchema>

/** The values of the address, and how to change some of them; `undefined` takes one away. */
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
