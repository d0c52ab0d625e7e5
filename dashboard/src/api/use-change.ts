import { useMutation, useQueryClient } from '@tanstack/react-query'

/**
 * Something that is done, as it comes; all that was read under `queryKey` is read again after it, also where
 * it was refused: the page may have been out of date. `onError`: hears what it threw.
 */
export function useChange(queryKey: readonly unknown[], onError?: (error: Error) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (change: () => Promise<unknown>) => change(),
    ...(onError && { onError }),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  })
}
