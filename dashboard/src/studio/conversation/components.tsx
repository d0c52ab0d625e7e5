/**
 * Components that the graph sends with a message: each in its own frame, since its code is the agent's, with its props
 * below.
 */
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useAgentServer } from '../../api/agent-server.tsx'
import { reasonOf } from '../../design/error-note.tsx'
import { LayoutTemplate } from '../../design/icon.gen.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { componentCodeQuery } from '../component/component-code.ts'
import { ComponentFrame } from '../component/component-frame.tsx'
import { componentsOf, type UiComponent } from '../component/components-of.ts'
import type { ComponentCode } from '../component/frame-messages.ts'
import { useStudio, useStudioStream } from '../studio-context.tsx'

export function Components({ messageId }: { messageId: string | undefined }) {
  const { values } = useStudioStream()
  return componentsOf(values.ui, messageId).map((one) => <Card key={one.id} component={one} />)
}

function Card({ component }: { component: UiComponent }) {
  const { name, props } = component
  const { assistant } = useStudio()
  const server = useAgentServer()
  const { data: code, error } = useQuery(componentCodeQuery(server, assistant.graph_id, name))
  const turn = useTurn(code)
  return (
    <div data-component={name} className="rounded-md border border-line bg-surface text-sm">
      {code && <Shown key={turn} component={component} code={code} />}
      {error && <Reason text={reasonOf(error)} />}
      <details className="border-t border-line px-3 py-1 text-xs first:border-t-0">
        <summary className="flex cursor-default items-center gap-2">
          <LayoutTemplate size={12} aria-hidden="true" className="text-ink-faint" />
          <span className="text-ink-soft">Component</span>
          <span className="font-mono">{name}</span>
        </summary>
        <div className="mt-1 border-t border-line pt-1">
          <JsonView value={props} />
        </div>
      </details>
    </div>
  )
}

/** Counts the changes of `value`, as a key that makes dependent components start anew. */
function useTurn(value: unknown): number {
  const turn = useRef({ value, number: 0 })
  if (turn.current.value !== value) turn.current = { value, number: turn.current.number + 1 }
  return turn.current.number
}

/** A frame receives its code once, so another version's code needs a new frame. */
function Shown({ component, code }: { component: UiComponent; code: ComponentCode }) {
  const [failure, setFailure] = useState<string>()
  // Later errors follow from the first.
  const fail = (why: string) => setFailure((first) => first ?? why)
  if (failure !== undefined) return <Reason text={failure} />
  return (
    <div className="px-3 py-2">
      <ComponentFrame component={component} code={code} onFail={fail} />
    </div>
  )
}

function Reason({ text }: { text: string }) {
  return (
    <p role="alert" className="px-3 py-2 wrap-anywhere text-bad">
      The component cannot be shown: {text}
    </p>
  )
}
