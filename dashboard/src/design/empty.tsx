import type { ReactNode } from 'react'

/** Nothing is here yet: says what would be, and how to get it. */
export function Empty(props: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 rounded-lg border border-dashed border-line px-6 py-10 text-center">
      <p className="font-medium">{props.title}</p>
      {props.children && <div className="max-w-prose text-ink-soft">{props.children}</div>}
      {props.action && <div className="mt-2">{props.action}</div>}
    </div>
  )
}
