import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { runtimeQuery } from '../api/deployments.ts'

/**
 * Whether a page may send requests to the deployment's agent server: once it was awake, or the user woke it here. Data
 * stays visible when it falls asleep again.
 */
export function useAwake(deploymentId: string | undefined) {
  const query = useQuery({
    ...runtimeQuery(deploymentId ?? ''),
    enabled: deploymentId !== undefined,
  })
  const { data, error } = query
  const isAsleep = data?.state === 'asleep'
  const [opened, setOpened] = useState<{ id: string; isWaking: boolean }>()
  const isOpen = opened !== undefined && opened.id === deploymentId
  const isSeenAwake = deploymentId !== undefined && data !== undefined && !isAsleep
  if (isSeenAwake && (!isOpen || opened.isWaking)) setOpened({ id: deploymentId, isWaking: false })
  return {
    isOpen,
    isAsleep,
    /** The user woke it here, and it does not respond yet. */
    isWaking: isOpen && opened.isWaking,
    since: data?.asleep_since,
    error: data ? null : error,
    retry: () => void query.refetch(),
    wake: () => deploymentId && setOpened({ id: deploymentId, isWaking: true }),
  }
}
