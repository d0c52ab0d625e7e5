/** Shows at once when the server stops responding, and when it responds again. */
import { UnreachableError } from '@runyard/client'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { WifiOff } from '../design/icon.gen.tsx'

/** Interval for checking whether the server responds again. */
const ASKED_EVERY_MS = 2_000

export function ConnectionNote() {
  const isLost = useLostConnection()
  return (
    <div role="status" className="sticky top-bar z-30">
      {isLost && (
        <p className="flex items-center gap-2 border-b border-line bg-wait-soft px-4 py-1.5 text-sm text-wait">
          <WifiOff size={14} aria-hidden="true" className="shrink-0" />
          <span>
            <span className="font-medium">Runyard does not answer.</span> You see what was there
            before. The page looks again by itself.
          </span>
        </p>
      )}
    </div>
  )
}

/** Reloads all data when the connection returns. */
function useLostConnection(): boolean {
  const queries = useQueryClient()
  const [isLost, setLost] = useState(false)
  useEffect(() => {
    const lose = () => setLost(true)
    const stop = queries.getQueryCache().subscribe(({ type, query }) => {
      if (type === 'updated' && isUnreachable(query.state.fetchFailureReason)) lose()
    })
    addEventListener('offline', lose)
    return () => {
      stop()
      removeEventListener('offline', lose)
    }
  }, [queries])
  useEffect(() => {
    if (!isLost) return
    const look = async () => {
      const response = await fetch(`${location.origin}/ok`).catch(() => undefined)
      if (!response?.ok) return
      setLost(false)
      await queries.invalidateQueries()
    }
    const timer = setInterval(() => void look(), ASKED_EVERY_MS)
    return () => clearInterval(timer)
  }, [isLost, queries])
  return isLost
}

/** Browsers report a failed request as a TypeError; the client as its own error. */
function isUnreachable(error: unknown): boolean {
  return (
    error instanceof UnreachableError ||
    (error instanceof TypeError && /fetch|network/i.test(error.message))
  )
}
