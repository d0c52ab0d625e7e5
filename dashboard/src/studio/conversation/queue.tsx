/** The queued runs behind the one in progress. */

import { useQueryClient } from '@tanstack/react-query'
import { useAgentServer } from '../../api/agent-server.tsx'
import { threadKey } from '../../api/thread-state.ts'
import { IconButton } from '../../design/button.tsx'
import { reasonOf } from '../../design/error-note.tsx'
import { X } from '../../design/icon.gen.tsx'
import { Badge } from '../../design/status.tsx'
import { toast } from '../../design/toast.tsx'
import { Talks } from '../../shell/talks.tsx'
import { inputOf, runsQuery } from '../queries.ts'
import { useStudio } from '../studio-context.tsx'
import { messageText } from './message-text.ts'

export function Queue() {
  const server = useAgentServer()
  const queries = useQueryClient()
  const { queue, threadId, messagesKey } = useStudio()
  if (queue.length === 0 || !threadId) return null
  const cancel = async (runId: string) => {
    try {
      await server.client.runs.cancel(threadId, runId)
    } catch (error) {
      toast(`It was not taken out: ${reasonOf(error)}`, { tone: 'bad' })
    }
    await queries.invalidateQueries({ queryKey: threadKey(server, threadId) })
    await queries.invalidateQueries(runsQuery(server, threadId))
  }
  return (
    <ul
      aria-label="Waiting in line"
      className="shrink-0 border-t border-line bg-surface px-4 py-1.5"
    >
      {queue.map((run) => (
        <li key={run.run_id} className="flex items-center gap-2 text-sm">
          <Badge tone="wait">In line</Badge>
          <span className="min-w-0 flex-1 truncate">{titleOf(inputOf(run), messagesKey)}</span>
          <Talks>
            <IconButton
              label="Take it out of the line"
              icon={<X size={14} />}
              onPress={() => void cancel(run.run_id)}
            />
          </Talks>
        </li>
      ))}
    </ul>
  )
}

function titleOf(input: Record<string, unknown> | undefined, key: string | undefined): string {
  const messages = key ? input?.[key] : undefined
  if (Array.isArray(messages)) return messageText(messages.at(-1)?.content) || 'A message'
  return input ? JSON.stringify(input) : 'Goes on without an input'
}
