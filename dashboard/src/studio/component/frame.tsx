/**
 * Runs in a frame without an origin: renders one component of an agent as the official SDK does, with data from the
 * page, and sends the component's requests to the page.
 */
import { LoadExternalComponent } from '@langchain/langgraph-sdk/react-ui'
import { Component, type ComponentProps, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import type { Begin, ComponentCode, FromFrame, Shown } from './frame-messages.ts'

type Tell = (message: FromFrame) => void
type Stream = ComponentProps<typeof LoadExternalComponent>['stream']

addEventListener('message', ({ source, data, ports: [port] }: MessageEvent<Begin>) => {
  if (source === parent && port) show(data, port)
})

function show(begin: Begin, port: MessagePort): void {
  const tell: Tell = (message) => port.postMessage(message)
  const target = document.getElementById('component')
  if (!target) return
  let isShown = false
  addEventListener('error', ({ message }) => {
    // A rendered component stays when a click in it fails.
    if (!isShown) tell({ type: 'failed', reason: message })
  })
  const size = new ResizeObserver(() => {
    isShown ||= target.offsetHeight > 0
    tell({ type: 'height', height: target.offsetHeight })
  })
  size.observe(target)
  const root = createRoot(target)
  let shown: Shown = begin
  const stream = streamOf(begin, { now: () => shown.stream, tell })
  const render = () => {
    document.documentElement.style.colorScheme = shown.colorScheme
    const message = { type: 'ui' as const, id: begin.id, name: begin.name, props: shown.props }
    root.render(
      <Guard tell={tell}>
        <LoadExternalComponent
          stream={stream}
          namespace={begin.graph}
          message={message}
          meta={shown.meta}
        />
      </Guard>,
    )
  }
  port.onmessage = ({ data }: MessageEvent<Shown>) => {
    shown = data
    render()
  }
  render()
}

/** The part of the SDK's stream that a component may use here. */
function streamOf(
  { graph, code }: Begin,
  { now, tell }: { now: () => Shown['stream']; tell: Tell },
): Stream {
  const html = withFiles(code)
  let hasRead = false
  const read = () => {
    if (!hasRead) tell({ type: 'reads' })
    hasRead = true
    return now()
  }
  const stream = {
    assistantId: graph,
    client: { '~ui': { getComponent: async () => html } },
    get values() {
      return read().values
    },
    get messages() {
      return read().messages
    },
    get interrupt() {
      return read().interrupt
    },
    get isLoading() {
      return read().isLoading
    },
    submit: async (input: Submitted['input'], options?: Submitted) => {
      // Through JSON: an SDK option may be a function, which cannot be sent.
      const { command, context } = options ?? {}
      const said = { type: 'submit' as const, input, command, context }
      tell(JSON.parse(JSON.stringify(said)) as typeof said)
    },
  }
  return stream as unknown as Stream
}

type Submitted = Extract<FromFrame, { type: 'submit' }>

/** The HTML with the files' addresses replaced by those of the received contents. */
function withFiles({ html, files }: ComponentCode): string {
  const template = document.createElement('template')
  template.innerHTML = html
  for (const element of template.content.querySelectorAll('[src], [href]')) {
    const attribute = element.hasAttribute('src') ? 'src' : 'href'
    const file = element.getAttribute(attribute)?.split('/').at(-1) ?? ''
    const type = file.endsWith('.css') ? 'text/css' : 'text/javascript'
    const url = URL.createObjectURL(new Blob([files[file] ?? ''], { type }))
    element.setAttribute(attribute, url)
  }
  return template.innerHTML
}

/** Reports errors that a component throws while rendering. */
class Guard extends Component<{ tell: Tell; children: ReactNode }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override componentDidCatch(error: unknown): void {
    this.props.tell({ type: 'failed', reason: String(error) })
  }

  override render(): ReactNode {
    return this.state.hasFailed ? null : this.props.children
  }
}
