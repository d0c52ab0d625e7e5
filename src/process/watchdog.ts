/**
 * A separate thread that detects what the event loop cannot: that the process driver is gone, whatever its child is
 * doing, and that a graph blocks the loop, so that nothing else is served or executed. It costs about 3 MB.
 */
import { Worker } from 'node:worker_threads'
import type { LogLevel } from '../core/log.ts'
import { withSources } from '../core/named-sources.ts'
import { currentPlace, type Place } from '../core/origin.ts'

interface WatchdogOptions {
  /** The child of a process driver: it ends, with its group, within seconds of its parent's death. */
  isManaged: boolean
  /** The log level, which decides whether a blocked loop is reported on standard error. */
  logLevel: LogLevel
  /** Default: `LIMITS`, each of them. */
  limits?: Partial<typeof LIMITS>
}

const LIMITS = {
  /** How often it looks, in ms. */
  lookMs: 1_000,
  /** How long a child has to end by itself once its parent is gone, in ms. */
  leftMs: 2_000,
  /** How long the debugger may take to stop a loop, in ms: it can stop JavaScript only. */
  pauseMs: 2_000,
  /** How long the loop may be blocked before it is reported, in ms; then again after twice as long. */
  blockedMs: 5_000,
}
/** How many calls around the place are reported. */
const MOST_CALLS = 3
/** Room for the place of a node, as JSON; a longer one is not kept. */
const PLACE_BYTES = 2048
/** The thread calls this function to learn from our own code where the loop is. */
const PLACE = Symbol.for('runyard.place')

export class Watchdog {
  /** The beats of the loop, and the length of the place in bytes. */
  readonly #counts = new Int32Array(new SharedArrayBuffer(8))
  readonly #place = new Uint8Array(new SharedArrayBuffer(PLACE_BYTES))
  readonly #encoder = new TextEncoder()
  readonly #limits: typeof LIMITS
  readonly #worker: Worker
  #beat: NodeJS.Timeout | undefined

  constructor({ isManaged, logLevel, limits }: WatchdogOptions) {
    this.#limits = { ...LIMITS, ...limits }
    const workerData = {
      parent: isManaged ? process.ppid : undefined,
      counts: this.#counts,
      place: this.#place,
      told: { error: logLevel !== 'silent', warn: !['silent', 'error'].includes(logLevel) },
      limits: this.#limits,
    }
    const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 }
    const worker = new Worker(SOURCE, { eval: true, workerData, resourceLimits, execArgv: [] })
    // The process works without it.
    worker.on('error', (error) => console.error('The watchdog has ended.', error))
    worker.unref()
    this.#worker = worker
  }

  /** Signs the lines that it writes from now on; see `core/deployment/log-source.ts`. */
  sign(mark: string): void {
    this.#worker.postMessage(mark)
  }

  /** Reports a blocked loop from now on, until `stop`. */
  start(): void {
    Object.assign(globalThis, { [PLACE]: () => ({ ...currentPlace(), at: stackHere() }) })
    // The loop may be blocked at once: a server begins with the runs that it finds.
    Atomics.store(this.#counts, 0, 1)
    this.#beat = setInterval(() => Atomics.add(this.#counts, 0, 1), this.#limits.lookMs).unref()
  }

  stop(): void {
    clearInterval(this.#beat)
    Atomics.store(this.#counts, 0, 0)
  }

  /** Notes where the loop is from now on. The last place is reported if the loop cannot be stopped. */
  readonly note = (place: Place): void => {
    const text = JSON.stringify(place)
    const { read, written } = this.#encoder.encodeInto(text, this.#place)
    this.#counts[1] = read === text.length ? written : 0
  }
}

/** The innermost calls in files, this one excluded: `name (url:line:column)`. */
function stackHere(): string[] {
  const lines = new Error().stack?.split('\n') ?? []
  return lines
    .filter((line) => /\((?:file:|\/)|at (?:async )?(?:file:|\/)/.test(line))
    .filter((line) => !line.includes(import.meta.filename))
    .slice(0, MOST_CALLS)
    .map((line) => withSources(line.trim().replace(/^at /, '')))
}

/**
 * Plain JavaScript, so that it needs neither a file beside it nor a loader. The line goes straight to standard error:
 * the loop that is blocked would write all other output of a thread.
 */
const SOURCE = `
const { parentPort, workerData } = require('node:worker_threads')
const { parent, counts, place, told, limits } = workerData
const { lookMs, leftMs, pauseMs, blockedMs } = limits

if (parent !== undefined) {
  const end = () => {
    // Its group, which a sandbox's own process may lead.
    process.kill(0, 'SIGKILL')
  }
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    setTimeout(end, leftMs)
  }, lookMs)
}

let beat = 0
let since = 0
let lookedAt = 0
let tellAfter = blockedMs
setInterval(() => {
  const now = performance.now()
  // The whole process was paused, this thread too.
  if (now - lookedAt > 4 * lookMs) since = now
  lookedAt = now
  const last = Atomics.load(counts, 0)
  if (last === beat && last !== 0) {
    if (now - since >= tellAfter) {
      tellAfter = 2 * (now - since)
      tellBlocked(now - since)
    }
    return
  }
  if (tellAfter > blockedMs && last !== 0) {
    write('warn', { blocked_ms: Math.round(now - since), msg: 'the event loop goes on' })
  }
  beat = last
  since = now
  tellAfter = blockedMs
}, lookMs)

function tellBlocked(ms) {
  stopLoop((stopped) => {
    const last = counts[1] > 0 ? JSON.parse(Buffer.from(place.slice(0, counts[1])).toString()) : {}
    const what = 'the event loop is blocked: nothing else is served or executed here'
    const known = stopped ?? { ...last, is_last_begun: true }
    write('error', { ...known, blocked_ms: Math.round(ms), msg: what })
  })
}

// What the lines are signed with, as those of the log are.
let signed = {}
parentPort.on('message', (mark) => {
  signed = { mark }
})

function write(level, fields) {
  if (!told[level]) return
  const line = { level, time: new Date().toISOString(), pid: process.pid, ...signed, ...fields }
  try {
    require('node:fs').writeSync(2, JSON.stringify(line) + '\\n')
  } catch {
    // No process reads standard error now.
  }
}

/** Stops the loop for a moment, as a debugger does, and reads where it is; undefined: it cannot be. */
function stopLoop(done) {
  let session
  const end = (found) => {
    clearTimeout(timer)
    session?.disconnect()
    session = undefined
    done(found)
    done = () => {}
  }
  const timer = setTimeout(end, pauseMs)
  try {
    session = new (require('node:inspector').Session)()
    session.connectToMainThread()
    session.on('Debugger.paused', () => {
      const expression = "globalThis[Symbol.for('runyard.place')]?.()"
      session.post('Runtime.evaluate', { expression, returnByValue: true }, (_error, answer) => {
        session?.post('Debugger.resume')
        end(answer?.result?.value)
      })
    })
    session.post('Debugger.enable')
    session.post('Debugger.pause')
  } catch {
    end()
  }
}
`
