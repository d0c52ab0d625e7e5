import { useEffect, useState } from 'react'
import { classes } from './classes.ts'

/**
 * A placeholder in the shape of the coming text or table. It appears after 300 ms, so that fast loads do not flicker.
 * `lines`: at most eight.
 */
export function Skeleton({ lines = 3, className }: { lines?: number; className?: string }) {
  const isShown = useDelay(300)
  return (
    <div role="status" className={classes('space-y-2', !isShown && 'invisible', className)}>
      <span className="sr-only">Loading</span>
      {WIDTHS.slice(0, lines).map((width) => (
        <div key={width} className={classes('h-4 animate-pulse rounded-sm bg-off-soft', width)} />
      ))}
    </div>
  )
}

const WIDTHS = ['w-full', 'w-5/6', 'w-2/3', 'w-11/12', 'w-1/2', 'w-3/4', 'w-4/5', 'w-3/5']

/** How long a page waits for a part above others, in ms. */
const WAIT_MS = 1_500

/** Turns true when the parts above others have loaded, or are late, and stays true: what is below does not move. */
export function useShown(isLoading: boolean): boolean {
  const isLate = useDelay(WAIT_MS)
  const [isShown, setShown] = useState(false)
  if (!isShown && (!isLoading || isLate)) setShown(true)
  return isShown
}

function useDelay(ms: number): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isOver
}
