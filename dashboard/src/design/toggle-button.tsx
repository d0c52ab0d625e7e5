import type { ReactNode } from 'react'
import { ToggleButton as AriaToggleButton } from 'react-aria-components'

/** A small button for something that is on or off; screen readers read `label`, and hovering shows it. */
export function ToggleButton(props: {
  label: string
  icon: ReactNode
  isSelected: boolean
  onChange: (isSelected: boolean) => void
}) {
  return (
    <AriaToggleButton
      aria-label={props.label}
      isSelected={props.isSelected}
      onChange={props.onChange}
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-ink-soft hover:bg-hover data-selected:bg-accent-soft data-selected:text-accent"
    >
      {props.icon}
    </AriaToggleButton>
  )
}
