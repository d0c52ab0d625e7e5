/** What a driver and one agent server have to say to each other, whatever the channel. */
import type { ParkedThreads } from '../../core/agent/parked-threads.ts'
import type { DrainLimits, Endpoint, Load } from '../../core/deployment/runtime.ts'
import {
  type AgentMessage,
  type DriverMessage,
  isActiveMessage,
  isDrainedMessage,
  isFailedMessage,
  isInspectionMessage,
  isLastReadingMessage,
  isLoadMessage,
  isReadingMessage,
  isReadyMessage,
  isSourcesMessage,
  isStartingMessage,
  type ReadyMessage,
} from '../../core/deployment/runtime-protocol.ts'
import type { AgentReading } from '../../core/figures/reading.ts'
import type { AgentLink } from './agent-link.ts'
import { stepFor } from './start-step.ts'

export interface Conversation {
  /** Settles with what the agent server says once it listens; never when it does not get to it. */
  readonly ready: Promise<ReadyMessage>
  /** What its start does and since when, until it is over: `imports ./src/agent.py, for 52 s`. */
  readonly doing: string | undefined
  /** What it has said of why it does not start; `undefined`: nothing. */
  readonly failure: string | undefined
  /** Settles when it has said so; never when it does not. */
  readonly failed: Promise<void>
  /** See `RuntimeDriver.inspect`. */
  inspect(): Promise<ParkedThreads | undefined>
  /** What its metrics say; `undefined`: it did not tell in time. */
  measure(): Promise<AgentReading | undefined>
  /** See `RuntimeDriver.activate`. */
  activate(): Promise<void>
  /** See `RuntimeDriver.drain`. */
  drain(limits: DrainLimits): Promise<number | undefined>
  /**
   * It need not wait for another one when it is asked to end. `drainMs`: how long what is open there may go on; absent:
   * it ends at once, also after an earlier release.
   */
  release(drainMs?: number): void
}

interface Hearing {
  /** Settles when the agent server is gone: nothing is answered after that. */
  exited: Promise<unknown>
  /** Hears of the project's files as they are imported. */
  onSources(files: string[]): void
  /** Hears of what the agent server reports of itself. */
  onLoad(load: Load): void
  /** Hears of what it has counted, when it ends. */
  onLast(reading: AgentReading): void
}

/** A rollout does not wait longer to learn of parked threads. */
const INSPECTION_MS = 10_000
/** Figures of others do not wait longer for those of one that is busy. */
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
    if (isStartingMessage(message)) step = { doing: message.doing, since: performance.now() }
    if (isReadyMessage(message)) {
      step = undefined
      ready.resolve(message)
    }
    if (isFailedMessage(message)) {
      failure = message.reason
      failed.resolve()
    }
    if (isSourcesMessage(message)) onSources(message.files)
    if (isLoadMessage(message)) onLoad(message.load)
    if (isLastReadingMessage(message)) onLast(message.reading)
  })
  let unrepeat = () => {}
  const gone = new AbortController()
  const noteEnd = () => gone.abort()
  void exited.then(noteEnd, noteEnd)
  const ask = <A extends AgentMessage>(question: Question<A>) =>
    askOver(link, gone.signal, question)
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
      const answer = await ask({
        message: { type: 'inspect' },
        isAnswer: isInspectionMessage,
        limitMs: INSPECTION_MS,
      })
      return answer?.parked_threads ?? undefined
    },
    async measure() {
      const answer = await ask({
        message: { type: 'measure' },
        isAnswer: isReadingMessage,
        limitMs: MEASURING_MS,
      })
      return answer?.reading
    },
    async activate() {
      await ask({ message: { type: 'activate' }, isAnswer: isActiveMessage })
    },
    async drain(limits) {
      const message = { type: 'drain' as const, ...limits }
      const answer = await ask({ message, isAnswer: isDrainedMessage })
      return answer?.next_due_at ?? undefined
    },
    release(drainMs) {
      const message = { type: 'release' as const, ...(drainMs !== undefined && { drainMs }) }
      // What was said may have been lost with a connection.
      unrepeat()
      unrepeat = link.onMessage((said) => isReadyMessage(said) && link.send(message))
      link.send(message)
    },
  }
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

interface Question<A> {
  message: DriverMessage
  isAnswer(message: unknown): message is A
  /** How long the answer may take, in ms; absent: as long as the agent server lives. */
  limitMs?: number
}

/**
 * `undefined`: there is no answer in time, or the agent server is gone. Nothing of a question is kept after
 * it: one that lives for months is asked what it measures again and again.
 */
async function askOver<A>(
  link: AgentLink,
  gone: AbortSignal,
  { message, isAnswer, limitMs }: Question<A>,
): Promise<A | undefined> {
  if (gone.aborted) return undefined
  const { promise, resolve } = Promise.withResolvers<A | undefined>()
  const giveUp = () => resolve(undefined)
  const leave = [
    link.onMessage((said) => isAnswer(said) && resolve(said)),
    // Nobody hears it before that. And the question, or its answer, may have been lost with a connection: the
    // next one begins with `ready` too.
    link.onMessage((said) => isReadyMessage(said) && link.send(message)),
  ]
  gone.addEventListener('abort', giveUp)
  const late = limitMs === undefined ? undefined : setTimeout(giveUp, limitMs).unref()
  link.send(message)
  const answer = await promise
  clearTimeout(late)
  gone.removeEventListener('abort', giveUp)
  for (const unsubscribe of leave) unsubscribe()
  return answer
}
