import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { runtimeQuery } from '../api/deployments.ts'

/**
 * Whether a page may ask the deployment's agent server: from when it was awake, or somebody has woken it here. What was
 * read stays shown when it falls asleep again.
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
    /** Somebody has woken it here, and it does not answer yet. */
    isWaking: isOpen && opened.isWaking,
    since: data?.asleep_since,
    error: data ? null : error,
    retry: () => void query.refetch(),
    wake: () => deploymentId && setOpened({ id: deploymentId, isWaking: true }),
  }
}
