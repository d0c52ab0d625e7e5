import { useEffect, useRef, useState } from 'react'
import { Form } from 'react-aria-components'
import type { AgentServer } from '../api/agent-server.tsx'
import { Button } from '../design/button.tsx'
import { classes } from '../design/classes.ts'
import { ErrorNote } from '../design/error-note.tsx'
import { TextField } from '../design/field.tsx'
import { ArrowUp } from '../design/icon.gen.tsx'
import { TextLink } from '../design/page.tsx'
import { Spinner } from '../design/spinner.tsx'
import { durationText } from '../design/text/format.ts'
import { OnlyLooks, Talks } from '../shell/talks.tsx'
import { type Chat, type Said, useChat } from './use-chat.ts'

const OPENINGS = ['Hello', 'What can you do?', 'Count to ten']

/** A small conversation with an assistant, ready to type. */
export function ChatCard(props: { server: AgentServer; assistantId: string }) {
  const { server, assistantId } = props
  const chat = useChat(server, assistantId)
  return (
    <section
      aria-label="Conversation"
      className="flex h-96 flex-col rounded-lg border border-line bg-surface"
    >
      <Messages chat={chat} />
      <Facts chat={chat} studio={studioOf(server, assistantId, chat)} />
      <Talks otherwise={<OnlyLooks />}>
        <Entry chat={chat} />
      </Talks>
    </section>
  )
}

function studioOf(server: AgentServer, assistantId: string, { threadId }: Chat): string {
  return server.pages.studio(assistantId, threadId === undefined ? {} : { thread: threadId })
}

function Messages({ chat }: { chat: Chat }) {
  const { said, isAnswering, error } = chat
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: keeps the last message in view
  useEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight
  }, [said, error])
  return (
    <div
      ref={list}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
      tabIndex={0}
      role="log"
      aria-label="Messages"
      className="flex-1 overflow-y-auto p-4"
    >
      {said.length === 0 && (
        <Talks>
          <Openings onChoose={chat.send} />
        </Talks>
      )}
      <ol className="space-y-3">
        {said.map((one) => (
          <Bubble key={one.id} said={one} />
        ))}
      </ol>
      {isAnswering && said.at(-1)?.by === 'human' && (
        <p className="mt-3 flex items-center gap-2 text-ink-soft">
          <Spinner /> It is answering
        </p>
      )}
      {error !== undefined && (
        <div className="mt-3">
          <ErrorNote title="There was no answer." error={error} />
        </div>
      )}
    </div>
  )
}

function Openings({ onChoose }: { onChoose: (text: string) => void }) {
  return (
    <div className="flex h-full flex-col items-center justify-center gap-3">
      <p className="text-ink-soft">Ready. Send a message.</p>
      <div className="flex flex-wrap justify-center gap-2">
        {OPENINGS.map((text) => (
          <Button key={text} size="sm" onPress={() => onChoose(text)}>
            {text}
          </Button>
        ))}
      </div>
    </div>
  )
}

function Bubble({ said: { by, text } }: { said: Said }) {
  const isHuman = by === 'human'
  return (
    <li className={classes('flex', isHuman && 'justify-end')}>
      <p
        className={classes(
          'max-w-[85%] rounded-lg px-3 py-1.5 whitespace-pre-wrap wrap-anywhere',
          isHuman ? 'bg-accent-soft' : 'bg-sunken',
        )}
      >
        <span className="sr-only">{isHuman ? 'You: ' : 'Agent: '}</span>
        {text}
      </p>
    </li>
  )
}

function Facts({ chat, studio }: { chat: Chat; studio: string }) {
  if (chat.said.length === 0) return null
  return (
    <p className="flex justify-between gap-4 px-4 pb-2 text-xs text-ink-faint">
      <span>
        {chat.firstTokenMs !== undefined && `First token after ${durationText(chat.firstTokenMs)}`}
      </span>
      {chat.threadId && <TextLink to={studio}>See its steps in the Studio</TextLink>}
    </p>
  )
}

function Entry({ chat }: { chat: Chat }) {
  const [text, setText] = useState('')
  const send = () => {
    if (text.trim() === '') return
    chat.send(text.trim())
    setText('')
  }
  return (
    <Form
      className="flex gap-2 border-t border-line p-3"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div className="flex-1">
        <TextField
          label="Message"
          isLabelHidden
          placeholder="Say something"
          value={text}
          onChange={setText}
        />
      </div>
      <Button
        type="submit"
        kind="primary"
        icon={<ArrowUp size={14} />}
        isDisabled={text.trim() === ''}
      >
        Send
      </Button>
    </Form>
  )
}
