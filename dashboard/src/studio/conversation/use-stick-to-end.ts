import { useCallback, useLayoutEffect, useRef } from 'react'

/** So near to the end, in px, it is followed. */
const NEAR = 60

/**
 * Keeps what scrolls at its end while it grows, as long as the person is there; who has scrolled up stays
 * where they are. `change`: what makes it grow. Another `subject` begins at its end.
 */
export function useStickToEnd(change: unknown, subject: unknown) {
  const ref = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  const onScroll = useCallback(() => {
    const box = ref.current
    if (box) isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: it begins anew with its subject
  useLayoutEffect(() => {
    isAtEnd.current = true
  }, [subject])
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what changes
  useLayoutEffect(() => {
    const box = ref.current
    if (box && isAtEnd.current) box.scrollTop = box.scrollHeight
  }, [change])
  return { ref, onScroll }
}
