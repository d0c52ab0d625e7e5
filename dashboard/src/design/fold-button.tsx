import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import { ChevronRight } from './icon.gen.tsx'

/** Folds and unfolds content that its parent shows below it. `className`: its size and text style. */
export function FoldButton(props: {
  isOpen: boolean
  onChange: (isOpen: boolean) => void
  className?: string
  children: ReactNode
}) {
  const { isOpen, onChange, className, children } = props
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={() => onChange(!isOpen)}
      className={classes('flex items-center rounded-sm text-left hover:bg-hover', className)}
    >
      <FoldMark isOpen={isOpen} />
      {children}
    </button>
  )
}

/** Only the arrow: to the right, or down when open. */
export function FoldMark({ isOpen }: { isOpen: boolean }) {
  return (
    <ChevronRight
      size={14}
      aria-hidden="true"
      className={classes('shrink-0 text-ink-faint transition-transform', isOpen && 'rotate-90')}
    />
  )
}
