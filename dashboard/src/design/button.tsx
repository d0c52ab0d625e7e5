import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components'
import { classes } from './classes.ts'
import { Spinner } from './spinner.tsx'

/** `primary`: the main action here. `danger`: deletes or revokes something. `quiet`: beside text. */
export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger'

const KINDS: Record<ButtonKind, string> = {
  primary: 'bg-accent text-on-accent border-transparent hover:bg-accent-hover',
  plain: 'bg-surface text-ink border-line hover:bg-hover',
  quiet: 'text-ink-soft border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-surface text-bad border-line hover:bg-bad-soft hover:border-bad',
}

const SHAPE =
  'inline-flex items-center justify-center gap-1.5 rounded-md border text-sm font-medium whitespace-nowrap ' +
  'cursor-default transition-colors disabled:opacity-50 data-disabled:opacity-50'

interface Look {
  kind?: ButtonKind
  size?: 'sm' | 'md'
  /** Shown before the text. */
  icon?: ReactNode
  /** As wide as its container. */
  isWide?: boolean
}

export interface ButtonProps extends Look, Omit<AriaButtonProps, 'className' | 'children'> {
  children: ReactNode
}

export function Button(props: ButtonProps) {
  const { kind, size, icon, isWide, children, isPending, ...rest } = props
  return (
    <AriaButton {...rest} isPending={isPending ?? false} className={looks({ kind, size, isWide })}>
      {isPending ? <Spinner /> : icon}
      {children}
    </AriaButton>
  )
}

/** A button with only an icon: screen readers read `label`, and hovering shows it. */
export function IconButton(
  props: Omit<AriaButtonProps, 'className' | 'children'> & { label: string; icon: ReactNode },
) {
  const { label, icon, ...rest } = props
  return (
    <AriaButton
      {...rest}
      aria-label={label}
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-ink-soft hover:bg-hover hover:text-ink disabled:opacity-40"
    >
      {icon}
      <span className="sr-only">{label}</span>
    </AriaButton>
  )
}

/** A link that looks like a button. */
export function ButtonLink({ to, children, ...look }: Look & { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={looks(look)}>
      {look.icon}
      {children}
    </Link>
  )
}

/** Links out of the app, in a new tab without access to this one. The caller ensures that `href` is http or https. */
export function OutsideLink(
  props: Look & { href: string; onClick?: () => void; children: ReactNode },
) {
  const { href, onClick, children, ...look } = props
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer noopener"
      onClick={onClick}
      className={looks(look)}
    >
      {look.icon}
      {children}
      <span className="sr-only"> (in a new tab)</span>
    </a>
  )
}

function looks({ kind = 'plain', size = 'md', isWide }: Look): string {
  return classes(SHAPE, KINDS[kind], size === 'sm' ? 'h-7 px-2' : 'h-8 px-3', isWide && 'w-full')
}
