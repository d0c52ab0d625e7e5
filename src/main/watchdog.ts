/**
 * Ends a process driver's child when the driver is gone, whatever the child is doing: a graph that
 * blocks the event loop would never see its channel close, and what a graph has started (a tool's
 * own server) would outlive it. A thread of its own looks; it costs about 3 MB.
 */
import { Worker } from 'node:worker_threads'

/** How often it looks, and how long the child then has to end by itself, in milliseconds. */
const LOOK_MS = 500
const LEFT_MS = 2000

/** From now on this process and its group end within seconds of its parent's death. */
export function watchParent(): void {
  const worker = new Worker(SOURCE, {
    eval: true,
    workerData: { parent: process.ppid, lookMs: LOOK_MS, leftMs: LEFT_MS },
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 },
  })
  worker.unref()
}

/** Plain JavaScript, so that it needs neither a file beside it nor a loader. */
const SOURCE = `
const { parent, lookMs, leftMs } = require('node:worker_threads').workerData
const end = () => {
  // Its group, which a sandbox's own process may lead.
  process.kill(0, 'SIGKILL')
}
const timer = setInterval(() => {
  if (process.ppid === parent) return
  clearInterval(timer)
  setTimeout(end, leftMs)
}, lookMs)
`
