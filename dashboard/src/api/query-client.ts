import { ControlPlaneError } from '@runyard/client'
import { QueryClient } from '@tanstack/react-query'

/** Refusals are not retried; other failures are retried twice. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      retry: (failures, error) => !isRefusal(error) && failures < 2,
    },
  },
})

/** The status of a refusal by either kind of server; undefined for any other error. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof ControlPlaneError) return error.status
  const { status } = (error ?? {}) as { status?: unknown }
  return typeof status === 'number' ? status : undefined
}

function isRefusal(error: unknown): boolean {
  const status = statusOf(error)
  return status !== undefined && status >= 400 && status < 500
}
