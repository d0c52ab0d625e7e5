/** Moves the view over the drawing: its text stays readable, and the running node stays in view. */
import { getViewportForBounds, useReactFlow, useStore } from '@xyflow/react'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Direction, Layout, Point } from './layout.ts'

/** The least zoom of a fitted view: text of 13 px has 11 px. A graph that needs more room is panned. */
const READABLE = 0.85
/** Around a graph that is larger than the view, in px. */
const MARGIN = 24

export interface Camera {
  /** At `READABLE` the graph is larger than the view. */
  isLarge: boolean
  isFollowing: boolean
  setFollowing(isFollowing: boolean): void
  /** Shows the whole graph if its text stays readable, else its start. */
  fit(): void
  /** Moves to a place of the drawing. */
  look(at: Point): void
  /** The next layout leaves the node where it is in the view. */
  hold(id: string): void
  /** The user has moved the view: it is not fitted to a new size, and stops following. */
  onMoveStart(event: unknown): void
}

/** `running`: the nodes that run now. */
export function useCamera(options: {
  layout: Layout
  direction: Direction
  chosen: string | undefined
  running: readonly string[]
}): Camera {
  const { layout, direction, chosen, running } = options
  const flow = useReactFlow()
  const width = useStore((store) => store.width)
  const height = useStore((store) => store.height)
  const [isFollowing, setFollowing] = useState(true)
  const hasMoved = useRef(false)
  const fitted = useRef<Layout>(undefined)
  const held = useRef<{ id: string; x: number; y: number }>(undefined)

  const fit = useCallback(() => {
    hasMoved.current = false
    const bounds = flow.getNodesBounds(flow.getNodes())
    const start = flow.getNodesBounds(['__start__'])
    const { x, y, zoom } = getViewportForBounds(bounds, width, height, READABLE, 1, 0.1)
    const place = (at: number, size: number, room: number, from: number, isAlong: boolean) => {
      if (size * zoom <= room) return at
      return isAlong ? MARGIN - from * zoom : room / 2 - from * zoom
    }
    const isRight = direction === 'RIGHT'
    const [left, top] = isRight
      ? [bounds.x, start.y + start.height / 2]
      : [start.x + start.width / 2, bounds.y]
    void flow.setViewport({
      x: place(x, bounds.width, width, left, isRight),
      y: place(y, bounds.height, height, top, !isRight),
      zoom,
    })
  }, [flow, width, height, direction])

  /** Centres the nodes, unless all of them are in view. */
  const show = useCallback(
    (ids: readonly string[], leastZoom: number) => {
      const known = ids.filter((id) => flow.getInternalNode(id))
      if (known.length === 0) return
      const bounds = flow.getNodesBounds([...known])
      const { x, y, zoom } = flow.getViewport()
      const [left, top] = [bounds.x * zoom + x, bounds.y * zoom + y]
      const isInView =
        left >= 0 &&
        top >= 0 &&
        left + bounds.width * zoom <= width &&
        top + bounds.height * zoom <= height
      if (isInView && zoom >= leastZoom) return
      const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
      void flow.setCenter(bounds.x + bounds.width / 2, bounds.y + bounds.height / 2, {
        zoom: Math.max(zoom, leastZoom),
        ...(!isCalm && { duration: 250 }),
      })
    },
    [flow, width, height],
  )

  const followed = isFollowing ? running.join('\n') : ''
  const follow = useCallback(() => {
    if (followed !== '') show(followed.split('\n'), 0)
  }, [followed, show])
  useEffect(follow, [follow])

  useEffect(() => {
    if (chosen) show([chosen], READABLE)
  }, [chosen, show])

  const settle = () => {
    const isNew = fitted.current !== layout
    if (!isNew && hasMoved.current) return
    const at = isNew ? held.current : undefined
    fitted.current = layout
    if (at && flow.getInternalNode(at.id)) {
      held.current = undefined
      const zoom = flow.getZoom()
      const { x, y } = flow.getNodesBounds([at.id])
      return void flow.setViewport({ x: at.x - x * zoom, y: at.y - y * zoom, zoom })
    }
    fit()
    if (followed !== '') follow()
    else if (chosen) show([chosen], READABLE)
  }
  const latest = useRef(settle)
  latest.current = settle

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each layout and size
  useEffect(() => {
    if (width === 0 || height === 0) return
    // The library knows the new nodes after this render.
    const frame = requestAnimationFrame(() => latest.current())
    return () => cancelAnimationFrame(frame)
  }, [layout, width, height])

  const hold = useCallback(
    (id: string) => {
      const { x, y, zoom } = flow.getViewport()
      const bounds = flow.getNodesBounds([id])
      hasMoved.current = true
      held.current = { id, x: bounds.x * zoom + x, y: bounds.y * zoom + y }
    },
    [flow],
  )

  return {
    isLarge: layout.width * READABLE > width || layout.height * READABLE > height,
    isFollowing,
    setFollowing,
    fit,
    look: ({ x, y }) => {
      hasMoved.current = true
      void flow.setCenter(x, y, { zoom: flow.getZoom() })
    },
    hold,
    onMoveStart: (event) => {
      if (!event) return
      hasMoved.current = true
      if (followed !== '') setFollowing(false)
    },
  }
}
