import type { Run } from '@langchain/langgraph-sdk'

/** Whether it is not over: it waits in line, or goes on. */
export function isActive({ status }: Pick<Run, 'status'>): boolean {
  return status === 'running' || status === 'pending'
}
