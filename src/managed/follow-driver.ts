/** What an agent server does at the word of the process driver that has started it. */
import type { ParkedThreads } from '../core/agent/parked-threads.ts'
import type { DrainLimits, Load } from '../core/deployment/runtime.ts'
import {
  type ActiveMessage,
  type DrainedMessage,
  type DrainMessage,
  type InspectionMessage,
  isActivateMessage,
  isDrainMessage,
  isInspectMessage,
} from '../core/deployment/runtime-protocol.ts'
import { reportLoad } from './report-load.ts'

/** What the driver asks of the agent server. */
interface ManagedServer {
  /** Begins to work. */
  work(): Promise<void>
  /** Works no more and goes on to answer; runs that execute have this long, in ms. */
  drain(limits: DrainLimits): Promise<void>
  checkParkedThreads(): Promise<ParkedThreads>
  load(): Promise<Omit<Load, 'lag_ms'>>
  /** When its next run or cron is due, in ms since 1970. */
  nextDue(): Promise<number | null>
}

/** From now on, until what is answered is called. */
export function followDriver(agentServer: ManagedServer): () => void {
  const onMessage = (message: unknown) => {
    if (isActivateMessage(message)) void activate(agentServer)
    if (isInspectMessage(message)) void inspect(agentServer)
    if (isDrainMessage(message)) void drain(agentServer, message)
  }
  process.on('message', onMessage)
  const stopReporting = reportLoad(() => agentServer.load())
  return () => {
    process.off('message', onMessage)
    stopReporting()
  }
}

/** One that cannot work ends: the driver starts it anew, and knows why by its last words. */
async function activate(agentServer: ManagedServer): Promise<void> {
  try {
    await agentServer.work()
    process.send?.({ type: 'active' } satisfies ActiveMessage)
  } catch (error) {
    console.error('The agent server cannot begin to work.', error)
    process.exit(1)
  }
}

/** What it cannot find out keeps no rollout back. */
async function inspect(agentServer: ManagedServer): Promise<void> {
  const parked_threads = await agentServer.checkParkedThreads().catch((error: unknown) => {
    console.error('The parked threads could not be checked.', error)
    return null
  })
  process.send?.({ type: 'inspection', parked_threads } satisfies InspectionMessage)
}

async function drain(agentServer: ManagedServer, limits: DrainMessage): Promise<void> {
  await agentServer.drain(limits)
  const next_due_at = await agentServer.nextDue()
  process.send?.({ type: 'drained', next_due_at } satisfies DrainedMessage)
}
