import type { ReactNode } from 'react'
import {
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  MenuTrigger,
  Popover,
  Separator,
} from 'react-aria-components'
import { classes } from './classes.ts'
import { Check } from './icon.gen.tsx'

/**
 * A menu of actions behind a button. `trigger` is a `Button` or `IconButton`. `align`: the edge that menu and button
 * share; most menus are at the right of their subject.
 */
export function Menu(props: { trigger: ReactNode; align?: 'start' | 'end'; children: ReactNode }) {
  const { trigger, align = 'end', children } = props
  return (
    <MenuTrigger>
      {trigger}
      <Popover
        placement={`bottom ${align}`}
        className="min-w-44 overflow-y-auto rounded-md border border-line bg-raised shadow-overlay"
      >
        <AriaMenu className="p-1 outline-none">{children}</AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}

export function MenuItem(props: {
  onAction: () => void
  children: ReactNode
  icon?: ReactNode
  isDanger?: boolean
  isDisabled?: boolean
  /** Marked as the current choice. */
  isChecked?: boolean
}) {
  return (
    <AriaMenuItem
      onAction={props.onAction}
      isDisabled={props.isDisabled ?? false}
      className={classes(
        'flex cursor-default items-center gap-2 rounded-sm px-2 py-1 outline-none data-disabled:opacity-50 data-focused:bg-hover',
        props.isDanger && 'text-bad',
      )}
    >
      {props.icon && <span className="shrink-0 text-ink-soft">{props.icon}</span>}
      {props.children}
      {props.isChecked && (
        <>
          <Check size={14} className="ml-auto shrink-0 text-accent" aria-hidden="true" />
          <span className="sr-only"> (chosen)</span>
        </>
      )}
    </AriaMenuItem>
  )
}

/** A separator between groups of actions. */
export function MenuLine() {
  return <Separator className="my-1 border-t border-line" />
}
