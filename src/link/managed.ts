/** The first messages between an agent server and its runtime driver. */
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../core/errors.ts'
import { AgentSocket } from './agent-socket.ts'
import { ipcToDriver } from './ipc.ts'
import type { DriverLink } from './link.ts'
import {
  isDrainMessage,
  isReleaseMessage,
  isStartMessage,
  isStopMessage,
  type StartMessage,
} from './messages.ts'
import { readStartFile } from './start-file.ts'

/** The start message of a driver, and the channel to it. */
export interface Managed {
  start: StartMessage
  link: DriverLink
}

/**
 * Receives the driver's first message: from the start file, if there is one, else from the parent process. `undefined`:
 * that has gone, or this process is to stop. Throws `bad_request` for anything else: then no driver has started it.
 */
export async function receiveStart(
  startFile: string | undefined,
  stopping: AbortSignal,
): Promise<Managed | undefined> {
  if (startFile !== undefined) {
    const start = readStartFile(startFile)
    return { start, link: new AgentSocket(start) }
  }
  const first = process.channel ? once(process, 'message', { signal: stopping }) : []
  const [message] = (await Promise.resolve(first).catch(() => [])) as [unknown?]
  if (isStartMessage(message)) return { start: message, link: ipcToDriver }
  if (stopping.aborted) return undefined
  const how = 'which sends a message or sets RUNYARD_START_FILE'
  throw new AppError('bad_request', `--managed is for a runtime driver, ${how}.`)
}

/** Aborts when the driver says that the agent server shall end. */
export function stopOf({ link }: Managed): AbortSignal {
  const stopping = new AbortController()
  link.onMessage((message) => isStopMessage(message) && stopping.abort('SIGTERM'))
  return stopping.signal
}

/** How an agent server ends on request. */
interface Ending {
  /**
   * Resolves when it may end: at once, or when its driver has another one answer in its place, and after `lingerMs` in
   * any case. Returns how long open requests may go on, in ms.
   */
  released(): Promise<number>
  /** Aborts when it is to end at once, whatever is open. */
  hurry: AbortSignal
}

/** Listens from now on. */
export function endingOf({ start, link }: Managed): Ending {
  const released = Promise.withResolvers<number>()
  const hurry = new AbortController()
  link.onMessage((message) => {
    if (isDrainMessage(message)) released.resolve(message.graceMs)
    if (isReleaseMessage(message) && message.drainMs !== undefined) {
      released.resolve(message.drainMs)
    } else if (isReleaseMessage(message) || isStopMessage(message)) {
      hurry.abort()
      released.resolve(0)
    }
  })
  const { lingerMs } = start
  return {
    hurry: hurry.signal,
    async released() {
      if (lingerMs === undefined) return 0
      return Promise.race([released.promise, delay(lingerMs, 0, { ref: false })])
    },
  }
}
