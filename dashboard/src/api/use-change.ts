import { useMutation, useQueryClient } from '@tanstack/react-query'

/**
 * A mutation. After it, even if it was refused, everything under `queryKey` is read again: the page may have been out
 * of date. `onError` receives the error.
 */
export function useChange(queryKey: readonly unknown[], onError?: (error: Error) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (change: () => Promise<unknown>) => change(),
    ...(onError && { onError }),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  })
}
