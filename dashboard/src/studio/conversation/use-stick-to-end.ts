import { useCallback, useLayoutEffect, useRef } from 'react'

/** Distance from the end, in px, within which the view follows it. */
const NEAR = 60

/**
 * Keeps a scrolling view at its end while its content grows, unless the user has scrolled up. `change`: what makes it
 * grow. A new `subject` starts at its end. The view also follows growth by itself (images and frames that get their
 * height) and a smaller window; content that the user unfolds stays under the pointer.
 */
export function useStickToEnd(change: unknown, subject: unknown) {
  const ref = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  /** The user has done something in the view since the last change. */
  const isHeld = useRef(false)
  /** The height of the view at the last follow; `undefined`: growth is not observed. */
  const height = useRef<number>(undefined)
  const onScroll = useCallback(() => {
    const box = ref.current
    // A resized window scrolls too, and is followed in a moment: the user has not left the end.
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: resets with each new subject
  useLayoutEffect(() => {
    isAtEnd.current = true
  }, [subject])
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on each change
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
