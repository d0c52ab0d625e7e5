/** Reports this agent server's load to the runtime driver. */
import type { Load } from '../core/deployment/runtime.ts'
import type { DriverLink } from './driver-link.ts'

/** How often the load is read, and how often an unchanged one is reported, in ms. */
const LOOK_MS = 1000
const TELL_MS = 15_000
/** An event loop that is late by less is not late. */
const LATE_MS = 50

/** Reports until the returned function is called. */
export function reportLoad(
  link: DriverLink,
  read: () => Promise<Omit<Load, 'lag_ms'>>,
): () => void {
  let told = ''
  let toldAt = Number.NEGATIVE_INFINITY
  let dueAt = performance.now() + LOOK_MS
  const look = async () => {
    const late = Math.round(performance.now() - dueAt)
    const load: Load = { ...(await read()), lag_ms: late < LATE_MS ? 0 : late }
    const text = JSON.stringify(load)
    if (text === told && performance.now() - toldAt < TELL_MS) return
    void link.send({ type: 'load', load })
    told = text
    toldAt = performance.now()
  }
  // Each round is planned after the one before, so that delays do not add up.
  const plan = () => {
    dueAt = performance.now() + LOOK_MS
    timer = setTimeout(() => look().then(plan, plan), LOOK_MS)
  }
  let timer: NodeJS.Timeout
  plan()
  return () => clearTimeout(timer)
}
