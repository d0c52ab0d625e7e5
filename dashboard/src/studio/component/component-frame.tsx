/** Shows a component in a frame without an origin, and performs the requests that it may make. */
import { useEffect, useRef, useState } from 'react'
import { BASE_PATH } from '../../api/mode.ts'
import { onNewColorScheme } from '../../design/color-scheme.ts'
import { reasonOf } from '../../design/error-note.tsx'
import { toast } from '../../design/toast.tsx'
import { useStudio, useStudioStream } from '../studio-context.tsx'
import type { UiComponent } from './components-of.ts'
import { type Begin, type ComponentCode, FromFrame, type Shown } from './frame-messages.ts'

/** The height in px until the component reports its own. */
const FIRST_HEIGHT = 120
const MAX_HEIGHT = 2_000
/** How long a user's click in the frame may take to become known in this page, in ms. */
const CLICK_MS = 200

export function ComponentFrame(props: {
  component: UiComponent
  code: ComponentCode
  onFail: (reason: string) => void
}) {
  const { component, code, onFail } = props
  const { assistant } = useStudio()
  const begin = useBeginRun(component.name)
  const shown = useShownData(component)
  const [height, setHeight] = useState(FIRST_HEIGHT)
  const [port, setPort] = useState<MessagePort>()
  const [reads, setReads] = useState(false)
  const frame = useRef<HTMLIFrameElement>(null)

  const hear = ({ data }: MessageEvent<unknown>) => {
    const said = FromFrame.safeParse(data).data
    if (said?.type === 'height') setHeight(Math.min(said.height, MAX_HEIGHT))
    if (said?.type === 'reads') setReads(true)
    if (said?.type === 'failed') onFail(said.reason)
    if (said?.type === 'submit') void begin(said)
  }
  const latest = useRef(hear)
  latest.current = hear

  const open = () => {
    // A second load means that the frame has navigated: it gets no data.
    if (port) return port.close()
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = (event) => latest.current(event)
    const { id, name } = component
    const first: Begin = { ...shown, id, name, graph: assistant.graph_id, code }
    frame.current?.contentWindow?.postMessage(first, '*', [port2])
    setPort(port1)
  }
  const { props: given, meta, colorScheme, stream } = shown
  const read = reads ? stream : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is sent only to components that read it
  useEffect(() => {
    port?.postMessage(shown)
  }, [port, given, meta, colorScheme, read?.values, read?.interrupt, read?.isLoading])
  useEffect(() => () => port?.close(), [port])

  return (
    <iframe
      ref={frame}
      title={`Component ${component.name}`}
      src={`${BASE_PATH}component-frame.html`}
      sandbox="allow-scripts"
      className="block w-full"
      style={{ height }}
      onLoad={open}
    />
  )
}

function useShownData({ props, metadata }: UiComponent): Shown {
  const { values, messages, interrupts, isRunning } = useStudioStream()
  return {
    props,
    meta: metadata,
    stream: { values, messages, interrupt: interrupts[0], isLoading: isRunning },
    colorScheme: useColorScheme(),
  }
}

/** Follows the user's changes while the page is open. */
function useColorScheme(): string {
  const [scheme, setScheme] = useState(colorScheme)
  useEffect(() => onNewColorScheme(() => setScheme(colorScheme())), [])
  return scheme
}

function colorScheme(): string {
  return getComputedStyle(document.documentElement).colorScheme
}

/** Starts a run for a component, but only just after a user's action: viewing a thread starts none. */
function useBeginRun(name: string) {
  const { submit } = useStudio()
  return async ({ input, command, context }: Extract<FromFrame, { type: 'submit' }>) => {
    if (!(await isByPerson()))
      return toast(`The component ${name} wanted to begin a run by itself, and was not let.`, {
        tone: 'bad',
      })
    try {
      await submit(
        { ...(command ? { command } : { input: input ?? null }) },
        { ...(context && { context }) },
      )
    } catch (error) {
      toast(`The run was not begun: ${reasonOf(error)}`, { tone: 'bad' })
    }
  }
}

async function isByPerson(): Promise<boolean> {
  if (navigator.userActivation.isActive) return true
  await new Promise((resolve) => setTimeout(resolve, CLICK_MS))
  return navigator.userActivation.isActive
}
