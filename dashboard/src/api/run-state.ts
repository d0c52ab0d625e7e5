import type { Run } from '@langchain/langgraph-sdk'

/** Whether the run is not over: it is queued or running. */
export function isActive({ status }: Pick<Run, 'status'>): boolean {
  return status === 'running' || status === 'pending'
}
