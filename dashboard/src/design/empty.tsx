import type { ReactNode } from 'react'

/** An empty list: says what would be here, and how to add it. */
export function Empty(props: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 rounded-lg border border-dashed border-line px-6 py-10 text-center">
      <p className="font-medium">{props.title}</p>
      {props.children && <div className="max-w-prose text-ink-soft">{props.children}</div>}
      {props.action && <div className="mt-2">{props.action}</div>}
    </div>
  )
}
