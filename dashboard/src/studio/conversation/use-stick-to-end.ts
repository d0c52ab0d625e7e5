import { useCallback, useLayoutEffect, useRef } from 'react'

/** So near to the end, in px, it is followed. */
const NEAR = 60

/**
 * Keeps what scrolls at its end while it grows, as long as the person is there; who has scrolled up stays
 * where they are. `change`: what makes it grow. Another `subject` begins at its end. It also grows by itself, when
 * images and frames get their height, and its end is followed when the window gets smaller; what a person unfolds
 * stays under the pointer.
 */
export function useStickToEnd(change: unknown, subject: unknown) {
  const ref = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  /** Since the last change a person has done something in it. */
  const isHeld = useRef(false)
  /** The height of what scrolls that has been followed last; `undefined`: nothing is followed by itself. */
  const height = useRef<number>(undefined)
  const onScroll = useCallback(() => {
    const box = ref.current
    // The window's new size scrolls it too, and is followed in a moment: nobody has left the end.
    if (!box || box.clientHeight !== (height.current ?? box.clientHeight)) return
    isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR
  }, [])
  const hold = useCallback(() => {
    isHeld.current = true
  }, [])
  const follow = useCallback(() => {
    const box = ref.current
    if (box && isAtEnd.current) box.scrollTop = box.scrollHeight
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: it begins anew with its subject
  useLayoutEffect(() => {
    isAtEnd.current = true
  }, [subject])
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what changes
  useLayoutEffect(() => {
    isHeld.current = false
    follow()
  }, [change])
  useLayoutEffect(() => {
    const box = ref.current
    const content = box?.firstElementChild
    if (!content) return
    height.current = box.clientHeight
    const growth = new ResizeObserver(() => {
      height.current = box.clientHeight
      if (!isHeld.current) follow()
    })
    growth.observe(content)
    growth.observe(box)
    return () => growth.disconnect()
  }, [follow])
  return { ref, onScroll, onPointerDown: hold, onKeyDown: hold }
}
