/** The conversation and what can be done in it. */
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { Chat, ChatMessage } from './chat.ts'

const SENDERS = { human: 'You', agent: 'Agent', tool: 'Tool' } as const

export function ChatView({ chat }: { chat: Chat }) {
  const end = useRef<HTMLDivElement>(null)
  const { length } = chat.messages
  const lastText = chat.messages.at(-1)?.text
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what is said, as it is said.
  useEffect(() => {
    // In newer browsers it answers a promise, which must not be the effect's.
    void end.current?.scrollIntoView({ block: 'end' })
  }, [length, lastText, chat.question])

  return (
    <main>
      <ol className="messages" aria-label="Conversation" aria-live="polite">
        {chat.messages.map((message) => (
          <Bubble key={message.id} message={message} isBusy={chat.isBusy} rewrite={chat.rewrite} />
        ))}
      </ol>
      {length === 0 && <Suggestions send={chat.send} />}
      {chat.error && (
        <p role="alert" className="error">
          {chat.error}
        </p>
      )}
      {chat.question && !chat.isBusy && <Approval question={chat.question} decide={chat.decide} />}
      <div ref={end} />
      <Composer chat={chat} />
    </main>
  )
}

const IDEAS = ['What is the weather in Oslo?', 'Please book a table for two', 'Count to 40']

function Suggestions({ send }: Pick<Chat, 'send'>) {
  return (
    <ul className="ideas" aria-label="Suggestions">
      {IDEAS.map((idea) => (
        <li key={idea}>
          <button type="button" onClick={() => send(idea)}>
            {idea}
          </button>
        </li>
      ))}
    </ul>
  )
}

interface BubbleProps extends Pick<Chat, 'isBusy' | 'rewrite'> {
  message: ChatMessage
}

function Bubble({ message, isBusy, rewrite }: BubbleProps) {
  const [isEditing, setEditing] = useState(false)
  const save = (text: string) => {
    setEditing(false)
    rewrite(message.id, text)
  }
  return (
    <li className={`bubble ${message.from}`} data-from={message.from}>
      <span className="sender">{SENDERS[message.from]}</span>
      {isEditing ? (
        <Editor text={message.text} save={save} cancel={() => setEditing(false)} />
      ) : (
        <p>{message.text}</p>
      )}
      {message.calls.map((call) => (
        <code key={call}>{call}</code>
      ))}
      {message.components}
      <footer>
        {message.from === 'human' && !isEditing && (
          <button type="button" disabled={isBusy} onClick={() => setEditing(true)}>
            Edit
          </button>
        )}
        {message.branches && <Branches {...message.branches} />}
      </footer>
    </li>
  )
}

function Branches({ current, count, go }: NonNullable<ChatMessage['branches']>) {
  return (
    <span className="branches">
      <button type="button" disabled={current === 0} onClick={() => go(current - 1)}>
        <span aria-hidden="true">‹</span>
        <span className="hidden">Earlier version</span>
      </button>
      {current + 1} / {count}
      <button type="button" disabled={current === count - 1} onClick={() => go(current + 1)}>
        <span aria-hidden="true">›</span>
        <span className="hidden">Later version</span>
      </button>
    </span>
  )
}

interface EditorProps {
  text: string
  save(text: string): void
  cancel(): void
}

function Editor({ text, save, cancel }: EditorProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    save(String(new FormData(event.currentTarget).get('text') ?? ''))
  }
  return (
    <form onSubmit={submit} onKeyDown={(event) => event.key === 'Escape' && cancel()}>
      {/* biome-ignore lint/a11y/noAutofocus: it opens because its button was pressed. */}
      <input name="text" defaultValue={text} aria-label="Your message, edited" required autoFocus />
      <button type="submit">Send instead</button>
      <button type="button" onClick={cancel}>
        Cancel
      </button>
    </form>
  )
}

function Approval({ question, decide }: { question: string } & Pick<Chat, 'decide'>) {
  return (
    <section className="approval" aria-label="Approval">
      <p>{question}</p>
      <button type="button" className="primary" onClick={() => decide(true)}>
        Approve
      </button>
      <button type="button" onClick={() => decide(false)}>
        Reject
      </button>
    </section>
  )
}

function Composer({ chat }: { chat: Chat }) {
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    chat.send(text)
    setText('')
  }
  return (
    <form className="composer" onSubmit={submit}>
      <input
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder="Say something"
        aria-label="Message"
      />
      {chat.isBusy ? (
        <button type="button" onClick={chat.stop}>
          Stop
        </button>
      ) : (
        <button type="submit" className="primary">
          Send
        </button>
      )}
    </form>
  )
}
