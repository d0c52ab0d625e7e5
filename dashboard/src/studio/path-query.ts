import { queryOptions } from '@tanstack/react-query'
import type { AgentServer } from '../api/agent-server.tsx'
import { threadKey } from '../api/thread-state.ts'
import { pathTo } from './activity.ts'
import { HISTORY_LIMIT, readSteps, type Step } from './queries.ts'

/** Steps in a page of the path to a checkpoint. */
const PATH_SIZE = 8

/** The steps before a state, at least those of its run. */
export function pathQuery(server: AgentServer, threadId?: string, at?: Step) {
  return queryOptions({
    queryKey: [...threadKey(server, threadId), 'path', at?.checkpoint?.checkpoint_id ?? 'none'],
    queryFn: async ({ signal }): Promise<Step[]> => {
      const steps: Step[] = at ? [at] : []
      let before = at?.checkpoint.checkpoint_id ?? undefined
      while (before && steps.length < HISTORY_LIMIT) {
        const begin = pathTo(steps)[0]
        if (!begin?.parent_checkpoint || begin.metadata?.source === 'input') break
        const page = { limit: PATH_SIZE, before }
        const { rows, hasMore } = await readSteps(server, threadId ?? '', page, signal)
        steps.push(...rows)
        before = hasMore ? rows.at(-1)?.id : undefined
      }
      return steps.slice(1)
    },
    enabled: threadId !== undefined && at?.checkpoint?.checkpoint_id != null,
  })
}
