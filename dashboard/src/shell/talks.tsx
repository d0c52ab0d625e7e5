import type { ReactNode } from 'react'
import { useMay } from '../api/session.ts'

/** What changes something at an agent: only a role that talks to agents sees it. */
export function Talks(props: { children: ReactNode; otherwise?: ReactNode }) {
  return useMay('talk') ? props.children : props.otherwise
}

/** In place of where something would be said. */
export function OnlyLooks() {
  return (
    <p className="shrink-0 border-t border-line bg-surface p-3 text-sm text-ink-soft">
      Your role (viewer) cannot talk to agents.
    </p>
  )
}
