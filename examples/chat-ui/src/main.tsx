/** The page: which hook is behind it is said in its address, `?hook=runs` or `?hook=thread`. */
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { ChatView } from './chat-view.tsx'
import { addressWith, readConnection } from './connection.ts'
import './styles.css'
import { useRunStreams } from './use-run-streams.tsx'
import { useThreadStream } from './use-thread-stream.tsx'

const HOOKS = {
  runs: { name: 'A stream for each run', Page: RunStreams },
  thread: { name: 'One stream for the thread', Page: ThreadStream },
} as const

function RunStreams() {
  const [connection] = useState(readConnection)
  return <ChatView chat={useRunStreams(connection)} />
}

function ThreadStream() {
  const [connection] = useState(readConnection)
  return <ChatView chat={useThreadStream(connection)} />
}

function App() {
  const chosen = new URLSearchParams(location.search).get('hook') === 'thread' ? 'thread' : 'runs'
  const { Page } = HOOKS[chosen]
  return (
    <>
      <header>
        <h1>Chat</h1>
        <nav aria-label="Hook">
          {Object.entries(HOOKS).map(([hook, { name }]) => (
            <a
              key={hook}
              href={addressWith('hook', hook)}
              aria-current={hook === chosen ? 'page' : undefined}
            >
              {name}
            </a>
          ))}
        </nav>
      </header>
      <Page />
    </>
  )
}

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
