/** What an agent server and the process driver that starts it say to each other at the start. */
import { once } from 'node:events'
import {
  type FailedMessage,
  isStartMessage,
  type ReadyMessage,
  type StartMessage,
} from '../core/deployment/runtime-protocol.ts'
import { AppError } from '../core/errors.ts'

/**
 * Waits for what the process driver sends first; `undefined` when the driver has gone, or the process is
 * to stop. Throws `bad_request` for anything else: then no process driver has started it.
 */
export async function receiveStart(stopping: AbortSignal): Promise<StartMessage | undefined> {
  const first = once(process, 'message', { signal: stopping }).catch(() => [])
  const [message] = (await first) as [unknown?]
  if (isStartMessage(message) || stopping.aborted) return message as StartMessage | undefined
  throw new AppError('bad_request', '--managed is for the process driver, which sends a message.')
}

/** Tells the process driver that the agent server answers, and what the gateway has to know of it. */
export function sendReady(ready: Omit<ReadyMessage, 'type' | 'pid'>): void {
  process.send?.({ type: 'ready', pid: process.pid, ...ready } satisfies ReadyMessage)
}

/** Tells the process driver why there is no agent server; settles when it is told. */
export function sendFailed(reason: string): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send) return resolve()
    process.send({ type: 'failed', reason } satisfies FailedMessage, () => resolve())
  })
}
