/** The agent server's side of its link: its start message, the channel, and the driver's requests to end. */
import { once } from 'node:events'
import { readFileSync, readSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../core/errors.ts'
import { AgentSocket } from './agent-socket.ts'
import { type DriverLink, isMessage, type StartMessage } from './messages.ts'

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
  if (isMessage(message, 'start')) return { start: message, link: ipcToDriver }
  if (stopping.aborted) return undefined
  const how = 'which sends a message or sets RUNYARD_START_FILE'
  throw new AppError('bad_request', `--managed is for a runtime driver, ${how}.`)
}

/** The child's end of the channel to a driver. */
const ipcToDriver: DriverLink = {
  send(message) {
    return new Promise((resolve) => {
      if (!process.send) return resolve()
      process.send(message, () => resolve())
    })
  },
  onMessage(listener) {
    process.on('message', listener)
    return () => process.off('message', listener)
  },
}

/** Aborts when the driver says that the agent server shall end. */
export function stopOf({ link }: Managed): AbortSignal {
  const stopping = new AbortController()
  link.onMessage((message) => isMessage(message, 'stop') && stopping.abort('SIGTERM'))
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
    if (isMessage(message, 'drain')) released.resolve(message.graceMs)
    if (isMessage(message, 'release') && message.drainMs !== undefined) {
      released.resolve(message.drainMs)
    } else if (isMessage(message, 'release') || isMessage(message, 'stop')) {
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

const NAMES = ['deployment_id', 'deployment_name', 'revision_id', 'gatewayToken'] as const

/** A start message on standard input lies on no disk. The driver has to close it. */
const STDIN = '/dev/stdin'
/** Time limit for the whole message, and time between two reads, in ms. */
const STDIN_LIMIT_MS = 30_000
const LOOK_MS = 5

/**
 * Reads the start message of an agent server that is no child process, from its driver's file. Throws `bad_request`
 * without quoting the file, which is secret.
 */
function readStartFile(path: string): StartMessage {
  const message = parse(path, readText(path))
  if (!isMessage(message, 'start'))
    throw refusal(path, 'holds no start message of a runtime driver')
  const fields: Partial<StartMessage> = message
  for (const name of NAMES) {
    if (typeof fields[name] !== 'string' || !fields[name]) throw refusal(path, `lacks ${name}`)
  }
  if (!isSecrets(fields.secrets)) throw refusal(path, 'lacks secrets: an object of texts')
  return message
}

function isSecrets(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).every((one) => typeof one === 'string')
}

function readText(path: string): string {
  try {
    return path === STDIN ? readStandardInput() : readFileSync(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw refusal(path, `cannot be read (${code})`)
  }
}

/**
 * Reads by number: the path leads to a pipe that belongs to another user. Engines pass a pipe that does not block, and
 * write to it when the container has begun.
 */
function readStandardInput(): string {
  const chunks: Buffer[] = []
  for (const until = performance.now() + STDIN_LIMIT_MS; ; ) {
    const chunk = Buffer.alloc(65_536)
    try {
      const length = readSync(0, chunk)
      if (length === 0) return Buffer.concat(chunks).toString('utf8')
      chunks.push(chunk.subarray(0, length))
    } catch (error) {
      const isEmpty = (error as NodeJS.ErrnoException).code === 'EAGAIN'
      if (!isEmpty || performance.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS)
    }
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The message of the error quotes the text.
    throw refusal(path, 'cannot be understood: it is no JSON')
  }
}

function refusal(path: string, what: string): AppError {
  return new AppError('bad_request', `The file ${path} (RUNYARD_START_FILE) ${what}.`)
}
