/** The conversation of a driver with one agent server, whatever the channel, and the channel to a child process. */
import type { ChildProcess } from 'node:child_process'
import type { ParkedThreads } from '../core/agent/parked-threads.ts'
import type { DrainLimits, Endpoint, Load } from '../core/deployment/runtime.ts'
import type { AgentReading } from '../core/figures/reading.ts'
import {
  type AgentLink,
  type AgentMessage,
  type DriverMessage,
  isMessage,
  type MessageOf,
  type ReadyMessage,
} from './messages.ts'

export interface Conversation {
  /** Resolves with the agent server's message once it listens; never if it does not get to it. */
  readonly ready: Promise<ReadyMessage>
  /** The step of its start and since when, until it is over: `imports ./src/agent.py, for 52 s`. */
  readonly doing: string | undefined
  /** Its own reason for not starting; `undefined`: it reported none. */
  readonly failure: string | undefined
  /** Resolves when it has reported one; never if it does not. */
  readonly failed: Promise<void>
  /** See `RuntimeDriver.inspect`. */
  inspect(): Promise<ParkedThreads | undefined>
  /** Its metrics; `undefined`: it did not report them in time. */
  measure(): Promise<AgentReading | undefined>
  /** See `RuntimeDriver.activate`. */
  activate(): Promise<void>
  /** See `RuntimeDriver.drain`. */
  drain(limits: DrainLimits): Promise<number | undefined>
  /**
   * It need not wait for another one when it is asked to end. `drainMs`: how long open requests may go on; absent: it
   * ends at once, also after an earlier release.
   */
  release(drainMs?: number): void
}

interface Hearing {
  /** Settles when the agent server is gone, after which no answer comes. */
  exited: Promise<unknown>
  /** Receives the project's files as they are imported. */
  onSources?(files: string[]): void
  /** Receives the load that the agent server reports. */
  onLoad(load: Load): void
  /** Receives its last counts when it ends. */
  onLast(reading: AgentReading): void
}

/** A rollout does not wait longer to learn of parked threads. */
const INSPECTION_MS = 10_000
/** Metrics of other agent servers do not wait longer for those of a busy one. */
const MEASURING_MS = 5_000

/** Listens from now on. */
export function converse(
  link: AgentLink,
  { exited, onSources, onLoad, onLast }: Hearing,
): Conversation {
  let failure: string | undefined
  let step: { doing: string; since: number } | undefined
  const ready = Promise.withResolvers<ReadyMessage>()
  const failed = Promise.withResolvers<void>()
  link.onMessage((message) => {
    if (isMessage(message, 'starting')) step = { doing: message.doing, since: performance.now() }
    if (isMessage(message, 'ready')) {
      step = undefined
      ready.resolve(message)
    }
    if (isMessage(message, 'failed')) {
      failure = message.reason
      failed.resolve()
    }
    if (isMessage(message, 'sources')) onSources?.(message.files)
    if (isMessage(message, 'load')) onLoad(message.load)
    if (isMessage(message, 'last_reading')) onLast(message.reading)
  })
  let unrepeat = () => {}
  const gone = new AbortController()
  const noteEnd = () => gone.abort()
  void exited.then(noteEnd, noteEnd)
  const ask = <T extends AgentMessage['type']>(
    message: DriverMessage,
    answer: T,
    limitMs?: number,
  ) => askOver(link, gone.signal, { message, answer, limitMs })
  return {
    ready: ready.promise,
    get doing() {
      return step && stepFor(step.doing, step.since)
    },
    get failure() {
      return failure
    },
    failed: failed.promise,
    async inspect() {
      const answer = await ask({ type: 'inspect' }, 'inspection', INSPECTION_MS)
      return answer?.parked_threads ?? undefined
    },
    async measure() {
      return (await ask({ type: 'measure' }, 'reading', MEASURING_MS))?.reading
    },
    async activate() {
      await ask({ type: 'activate' }, 'active')
    },
    async drain(limits) {
      return (await ask({ type: 'drain', ...limits }, 'drained'))?.next_due_at ?? undefined
    },
    release(drainMs) {
      const message = { type: 'release' as const, ...(drainMs !== undefined && { drainMs }) }
      // The message may have been lost with a connection.
      unrepeat()
      unrepeat = link.onMessage((said) => isMessage(said, 'ready') && link.send(message))
      link.send(message)
    },
  }
}

/** A step of a start: `imports ./src/agent.py, for 52 s`; `since`: of `performance.now()`. */
export function stepFor(doing: string, since: number): string {
  return `${doing}, for ${Math.round((performance.now() - since) / 1000)} s`
}

/** Where the gateway reaches it: at the address that it names, unless its driver knows a better one. */
export function endpointOf(ready: ReadyMessage, token: string, url = ready.url): Endpoint {
  const {
    has_own_auth: hasOwnAuth = false,
    forwards_api_key: forwardsApiKey = false,
    checks_roles: checksRoles = false,
    cors,
  } = ready
  return {
    url,
    token,
    ...(hasOwnAuth && { hasOwnAuth }),
    ...(checksRoles && { checksRoles }),
    ...(forwardsApiKey && { forwardsApiKey }),
    ...(cors && { cors }),
  }
}

interface Question<T> {
  message: DriverMessage
  /** The type of the answer. */
  answer: T
  /** How long the answer may take, in ms; `undefined`: as long as the agent server lives. */
  limitMs: number | undefined
}

/**
 * `undefined`: there is no answer in time, or the agent server is gone. Keeps nothing of a question: an agent server
 * that lives for months is measured again and again.
 */
async function askOver<T extends AgentMessage['type']>(
  link: AgentLink,
  gone: AbortSignal,
  { message, answer, limitMs }: Question<T>,
): Promise<MessageOf<T> | undefined> {
  if (gone.aborted) return undefined
  const { promise, resolve } = Promise.withResolvers<MessageOf<T> | undefined>()
  const giveUp = () => resolve(undefined)
  const leave = [
    link.onMessage((said) => isMessage(said, answer) && resolve(said)),
    // The agent server reads no message before that. And the question, or its answer, may have been lost with a
    // connection: the next one begins with `ready` too.
    link.onMessage((said) => isMessage(said, 'ready') && link.send(message)),
  ]
  gone.addEventListener('abort', giveUp)
  const late = limitMs === undefined ? undefined : setTimeout(giveUp, limitMs).unref()
  link.send(message)
  const found = await promise
  clearTimeout(late)
  gone.removeEventListener('abort', giveUp)
  for (const unsubscribe of leave) unsubscribe()
  return found
}

/** The driver's end of the channel to a child process, which lasts as long as the child does. */
export function ipcToAgent(child: ChildProcess): AgentLink {
  return {
    send(message) {
      if (child.connected) child.send(message, () => {})
    },
    onMessage(listener) {
      child.on('message', listener)
      return () => child.off('message', listener)
    },
  }
}
