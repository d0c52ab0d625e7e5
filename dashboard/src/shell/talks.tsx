import type { ReactNode } from 'react'
import { useMay } from '../api/session.ts'

/** Shows controls that change something at an agent only to roles that may call agents. */
export function Talks(props: { children: ReactNode; otherwise?: ReactNode }) {
  return useMay('talk') ? props.children : props.otherwise
}

/** Shown to viewers in place of the composer. */
export function OnlyLooks() {
  return (
    <p className="shrink-0 border-t border-line bg-surface p-3 text-sm text-ink-soft">
      Your role (viewer) cannot talk to agents.
    </p>
  )
}
