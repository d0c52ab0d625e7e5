/** The line above the columns: the assistant, the thread, and links to others. */
import { useQuery } from '@tanstack/react-query'
import { useAgentServer } from '../api/agent-server.tsx'
import { meaningOfThread } from '../api/states.ts'
import { Button } from '../design/button.tsx'
import { ChevronDown, Plus } from '../design/icon.gen.tsx'
import { Menu, MenuItem } from '../design/menu.tsx'
import { Badge, Mark } from '../design/status.tsx'
import { Id } from '../design/text/id.tsx'
import { Time } from '../design/text/time.tsx'
import { Talks } from '../shell/talks.tsx'
import { AssistantMenu } from './assistants/assistant-menu.tsx'
import { ColumnButtons } from './columns.tsx'
import { recentThreadsQuery } from './queries.ts'
import { useStudio, useStudioStream } from './studio-context.tsx'
import { threadTitle } from './thread-title.ts'

export function StudioHead() {
  const { assistant, threadId, select } = useStudio()
  return (
    <header className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 bg-surface px-3 py-1.5">
      <h1 className="sr-only">{assistant.name} · Studio</h1>
      <AssistantMenu />
      <ThreadMenu />
      {threadId && <Id id={threadId} />}
      <ThreadStatus />
      <div className="ml-auto flex items-center gap-1">
        <Talks>
          <Button
            size="sm"
            icon={<Plus size={14} />}
            onPress={() => select({ thread: null })}
            isDisabled={!threadId}
          >
            New thread
          </Button>
        </Talks>
        <ColumnButtons />
      </div>
    </header>
  )
}

function ThreadMenu() {
  const { threadId } = useStudio()
  return (
    <Menu
      trigger={
        <Button kind="quiet">
          {threadId ? 'Thread' : 'New thread'}
          <ChevronDown size={14} aria-hidden="true" />
          <span className="sr-only">Choose a recent thread</span>
        </Button>
      }
    >
      <RecentThreads />
    </Menu>
  )
}

/** Requested when the menu is opened: each thread comes with its values. */
function RecentThreads() {
  const server = useAgentServer()
  const { assistant, messagesKey, select } = useStudio()
  const { data = [] } = useQuery(recentThreadsQuery(server, assistant.assistant_id))
  return (
    <>
      {data.length === 0 && (
        <MenuItem onAction={() => undefined} isDisabled>
          No threads yet
        </MenuItem>
      )}
      {data.map(({ thread_id, status, values, updated_at }) => (
        <MenuItem key={thread_id} onAction={() => select({ thread: thread_id })}>
          <Mark tone={meaningOfThread(status).tone} />
          <span className="max-w-64 truncate">
            {threadTitle(values, messagesKey && values?.[messagesKey]) || 'Empty'}
          </span>
          <span className="ml-auto pl-4 text-xs text-ink-faint">
            <Time at={updated_at} />
          </span>
        </MenuItem>
      ))}
    </>
  )
}

function ThreadStatus() {
  const { queue } = useStudio()
  const { isRunning, interrupts, next, error } = useStudioStream()
  if (isRunning)
    return (
      <Badge tone="live">
        {queue.length > 0 ? `Running, ${queue.length} behind it` : 'Running'}
      </Badge>
    )
  if (error !== undefined) return <Badge tone="bad">Failed</Badge>
  if (interrupts.length > 0) return <Badge tone="wait">Waiting for an answer</Badge>
  if (next.length > 0) return <Badge tone="wait">Stands before {next.join(', ')}</Badge>
  return null
}
