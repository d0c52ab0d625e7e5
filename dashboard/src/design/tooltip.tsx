import type { ReactNode } from 'react'
import { Tooltip as AriaTooltip, TooltipTrigger } from 'react-aria-components'

/** Shows help for a control on hover and focus. `children` is one focusable part of this folder. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <TooltipTrigger delay={400}>
      {children}
      <AriaTooltip
        offset={6}
        className="max-w-80 rounded-md border border-line bg-raised px-2 py-1 text-sm shadow-overlay"
      >
        {text}
      </AriaTooltip>
    </TooltipTrigger>
  )
}
