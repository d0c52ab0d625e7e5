/** The search parameters of a page's address. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { z } from 'zod'

/** Text in an address; the router parses what looks like a number as one. */
export const addressText = z.coerce.string().min(1).optional().catch(undefined)

/**
 * The search parameters, and a function to change some of them; `undefined` and empty text remove one. `schema` must
 * accept any input. A change adds an entry to the history, unless `replace`.
 */
export function useAddress<Schema extends z.ZodType<object>>(schema: Schema) {
  const raw: unknown = useSearch({ strict: false })
  const values = useMemo(() => schema.parse(raw), [schema, raw])
  const navigate = useNavigate()
  const change = useCallback(
    (some: Partial<z.infer<Schema>>, { replace = false } = {}) => {
      const search = (all: object) => given({ ...all, ...some })
      void navigate({ to: '.', search: search as never, replace })
    },
    [navigate],
  )
  return [values, change] as const
}

function given(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
}
