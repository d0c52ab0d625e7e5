import type { ReactNode } from 'react'
import { Button } from '../design/button.tsx'
import { Talks } from './talks.tsx'

/** Below a list while rows of it are chosen. `children`: the action on them. */
export function SelectionBar(props: { text: string; onNone: () => void; children: ReactNode }) {
  return (
    <div className="sticky bottom-3 mt-3 flex flex-wrap items-center gap-3 rounded-lg border border-line bg-raised px-4 py-2 shadow-overlay">
      <span>{props.text}</span>
      <Talks>{props.children}</Talks>
      <Button size="sm" onPress={props.onNone}>
        Choose none
      </Button>
    </div>
  )
}
