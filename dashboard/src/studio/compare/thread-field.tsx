/** Chooses a thread: one of the deployment's latest, or any by its id. */
import type { Thread } from '@langchain/langgraph-sdk'
import { useQuery } from '@tanstack/react-query'
import { useAgentServer } from '../../api/agent-server.tsx'
import { meaningOfThread } from '../../api/states.ts'
import type { State } from '../../api/thread-state.ts'
import { type SearchChoice, SearchChoiceField } from '../../design/search-choice-field.tsx'
import { Mark } from '../../design/status.tsx'
import { isUuid, shortId } from '../../design/text/format.ts'
import { Time } from '../../design/text/time.tsx'
import { recentThreadsQuery } from '../queries.ts'
import { threadTitle } from '../thread-title.ts'
import { messagesOf } from './side-facts.ts'

/** `value`: the id, or the text typed so far. */
export function ThreadField(props: { value: string; onChange: (value: string) => void }) {
  const { value, onChange } = props
  const server = useAgentServer()
  const { data = [] } = useQuery(recentThreadsQuery(server))
  const choices = data.map(choiceOf)
  const chosen = choices.find((one) => one.id === value.trim())
  return (
    <SearchChoiceField
      label="Thread"
      value={value}
      onChange={onChange}
      choices={choices}
      isMono={value === '' || isUuid(value.trim())}
      help={chosen ? `“${chosen.label}”` : 'One of the latest by its words, or any by its id.'}
    />
  )
}

function choiceOf(thread: Thread<State>): SearchChoice {
  const { thread_id, status, values, metadata, updated_at } = thread
  const messages = messagesOf(values ?? undefined)
  const graph = String(metadata?.graph_id ?? '')
  const { tone, word } = meaningOfThread(status)
  return {
    id: thread_id,
    label: threadTitle(values, messages.length > 0 ? messages : undefined) || 'Empty',
    words: `${graph} ${word}`,
    mark: <Mark tone={tone} />,
    help: (
      <>
        {graph && `${graph} · `}
        <Time at={updated_at} /> · <code>{shortId(thread_id)}</code>
      </>
    ),
  }
}
