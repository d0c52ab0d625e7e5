import { useQuery, useQueryClient } from '@tanstack/react-query'
import { askAgent } from '../api/agent-request.ts'
import type { AgentServer } from '../api/agent-server.tsx'
import { ConfirmDialog } from '../design/form-dialog.tsx'
import { toast } from '../design/toast.tsx'

/** Asks before threads are deleted, and says what goes with them. */
export function DeleteThreads(props: {
  server: AgentServer
  ids: readonly string[]
  isOpen: boolean
  onClose: () => void
  onDone: () => void
}) {
  const { server, ids, isOpen } = props
  const queryClient = useQueryClient()
  const { data } = useQuery({
    queryKey: [server.key, 'threads', 'to delete', ids],
    queryFn: ({ signal }) =>
      server.client.threads.search({ ids: [...ids], limit: 1_000, signal, select: ['status'] }),
    enabled: isOpen && ids.length > 0,
  })
  const count = (status: string) => data?.filter((one) => one.status === status).length ?? 0
  const [busy, asking] = [count('busy'), count('interrupted')]
  const remove = async () => {
    await askAgent(server, 'POST', '/threads/prune', { thread_ids: ids, strategy: 'delete' })
    toast(`${ids.length === 1 ? 'The thread is' : `${ids.length} threads are`} deleted.`)
    props.onDone()
    await queryClient.invalidateQueries({ queryKey: [server.key, 'threads'] })
  }
  const what = ids.length === 1 ? 'this thread' : `${ids.length} threads`
  return (
    <ConfirmDialog
      title={`Delete ${what}?`}
      isOpen={isOpen}
      onClose={props.onClose}
      onConfirm={remove}
      verb="Delete"
      {...(ids.length > 1 && { name: String(ids.length) })}
    >
      <p>
        With {ids.length === 1 ? 'it' : 'them'} go the runs, the whole history and what the agent
        remembers there. It cannot be taken back.
      </p>
      {busy > 0 && (
        <p className="text-wait">
          {busy === 1
            ? 'On one a run goes on: it is ended.'
            : `On ${busy} runs go on: they are ended.`}
        </p>
      )}
      {asking > 0 && (
        <p className="text-wait">
          {asking === 1 ? 'One waits for an answer.' : `${asking} wait for an answer.`}
        </p>
      )}
    </ConfirmDialog>
  )
}
