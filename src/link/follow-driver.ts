/** What an agent server does for the runtime driver that has started it: its requests, and reports of the start. */
import type { ParkedThreads } from '../core/agent/parked-threads.ts'
import type { DrainLimits, Load } from '../core/deployment/runtime.ts'
import type { AgentReading } from '../core/figures/reading.ts'
import type { Log } from '../core/log.ts'
import { type DriverLink, isMessage } from './messages.ts'

/** How often the load is read, and how often an unchanged one is reported, in ms. */
const LOOK_MS = 1000
const REPEAT_MS = 15_000
/** An event loop that is late by less is not late. */
const LATE_MS = 50

/** The runtime driver's requests to the agent server. */
interface ManagedServer {
  /** Begins to work. */
  work(): Promise<void>
  /** Takes no more work but keeps answering; executing runs have this long, in ms. */
  drain(limits: DrainLimits): Promise<void>
  checkParkedThreads(): Promise<ParkedThreads>
  load(): Promise<Omit<Load, 'lag_ms'>>
  /** When its next run or cron is due, in ms since 1970. */
  nextDue(): Promise<number | null>
}

/** Reads its metrics. */
type Measure = () => Promise<AgentReading>

/** Follows the driver until the returned function is called. */
export function followDriver(
  link: DriverLink,
  agentServer: ManagedServer,
  measure: Measure,
): () => void {
  const leave = link.onMessage((message) => {
    if (isMessage(message, 'activate')) void activate(link, agentServer)
    if (isMessage(message, 'inspect')) void inspect(link, agentServer)
    if (isMessage(message, 'measure')) void tellReading(link, measure)
    if (isMessage(message, 'drain')) void drain(link, agentServer, message)
  })
  const stopReporting = reportLoad(link, () => agentServer.load())
  return () => {
    leave()
    stopReporting()
  }
}

/** An agent server that cannot work ends: the driver restarts it, and learns why from its last output. */
async function activate(link: DriverLink, agentServer: ManagedServer): Promise<void> {
  try {
    await agentServer.work()
    await link.send({ type: 'active' })
  } catch (error) {
    console.error('The agent server cannot begin to work.', error)
    process.exit(1)
  }
}

/** A check that fails does not block the rollout. */
async function inspect(link: DriverLink, agentServer: ManagedServer): Promise<void> {
  const parked_threads = await agentServer.checkParkedThreads().catch((error: unknown) => {
    console.error('The parked threads could not be checked.', error)
    return null
  })
  await link.send({ type: 'inspection', parked_threads })
}

/** Sends nothing without its database: the driver does not wait for long. */
async function tellReading(link: DriverLink, measure: Measure): Promise<void> {
  const reading = await measure().catch(() => undefined)
  if (reading) await link.send({ type: 'reading', reading })
}

/** Called once no run executes any more: the driver does not ask again. */
export async function tellLastReading(link: DriverLink, counted: Measure): Promise<void> {
  await link.send({ type: 'last_reading', reading: await counted() })
}

async function drain(
  link: DriverLink,
  agentServer: ManagedServer,
  limits: DrainLimits,
): Promise<void> {
  await agentServer.drain(limits)
  const next_due_at = await agentServer.nextDue()
  await link.send({ type: 'drained', next_due_at })
}

/** Reports this agent server's load until the returned function is called. */
function reportLoad(link: DriverLink, read: () => Promise<Omit<Load, 'lag_ms'>>): () => void {
  let sent = ''
  let sentAt = Number.NEGATIVE_INFINITY
  let dueAt = performance.now() + LOOK_MS
  const look = async () => {
    const late = Math.round(performance.now() - dueAt)
    const load: Load = { ...(await read()), lag_ms: late < LATE_MS ? 0 : late }
    const text = JSON.stringify(load)
    if (text === sent && performance.now() - sentAt < REPEAT_MS) return
    void link.send({ type: 'load', load })
    sent = text
    sentAt = performance.now()
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

/** How often the log repeats a step that goes on, in ms. */
const STEP_REPEAT_MS = 10_000

/**
 * Reports the next step of the start, as the rest of a sentence about the agent server: `imports ./src/agent.py`.
 * Resolves when it is sent to the driver: the step may block the event loop.
 */
export type OnStep = (doing: string) => Promise<void>

/** `end` is called when the start is over. */
export function reportStart(
  link: DriverLink | undefined,
  log: Log,
): { onStep: OnStep; end: () => void } {
  let timer: NodeJS.Timeout | undefined
  const end = () => clearInterval(timer)
  const onStep = async (doing: string) => {
    end()
    const since = performance.now()
    log.info({ doing }, 'The agent server starts.')
    const repeat = () => {
      const seconds = Math.round((performance.now() - since) / 1000)
      log.info({ doing, seconds }, 'The agent server still starts.')
    }
    // A driver repeats it in the log of the revision, also while a module blocks this process.
    if (!link) timer = setInterval(repeat, STEP_REPEAT_MS).unref()
    await link?.send({ type: 'starting', doing })
  }
  return { onStep, end }
}

/**
 * Reports the project's files to the runtime driver. Begins at once; files that are imported together are reported
 * together. `onSource` calls its callback with the path of each file.
 */
export function reportSources(
  link: DriverLink,
  onSource: (callback: (file: string) => void) => void,
): void {
  let files: string[] = []
  const send = () => {
    void link.send({ type: 'sources', files })
    files = []
  }
  onSource((file) => {
    if (files.push(file) === 1) setImmediate(send)
  })
}
