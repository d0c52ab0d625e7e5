/** The search parameters of a page's address. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { z } from 'zod'

/** Text in an address; the router parses what looks like a number as one. */
export const addressText = z.coerce.string().min(1).optional().catch(undefined)

/**
 * The search parameters, and a function to change some of them; `undefined` and empty text remove one. `schema` must
 * accept any input. A change adds an entry to the history, unless `replace`. `resetScroll`: a change scrolls to the top.
 */
export function useAddress<Schema extends z.ZodType<object>>(
  schema: Schema,
  { resetScroll = true } = {},
) {
  const raw: unknown = useSearch({ strict: false })
  const values = useMemo(() => schema.parse(raw), [schema, raw])
  const navigate = useNavigate()
  const change = useCallback(
    (some: Partial<z.infer<Schema>>, { replace = false } = {}) => {
      const search = (all: object) => given({ ...all, ...some })
      void navigate({ to: '.', search: search as never, replace, resetScroll })
    },
    [navigate, resetScroll],
  )
  return [values, change] as const
}

function given(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
}
