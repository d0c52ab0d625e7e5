/**
 * Sends the deliveries of the outbox: claims one, signs it by Standard Webhooks, posts it, and stores the result. A
 * delivery whose server died becomes due again, so each is sent at least once.
 */
import { createHmac } from 'node:crypto'
import type { AttemptResult, QueuedDelivery, WebhookDeliveryStore } from '../core/agent/webhook.ts'
import { type Clock, momentOf, timestamp } from '../core/clock.ts'
import type { JsonObject } from '../core/json.ts'
import type { Log } from '../core/log.ts'
import { Looks } from '../core/looks.ts'
import type { Answer, Message } from './post.ts'

export interface SenderParts {
  deliveries: WebhookDeliveryStore
  /** Never rejects. */
  post: (message: Message, signal: AbortSignal) => Promise<Answer>
  /** The project's own headers, in every message. */
  headers: Readonly<Record<string, string>>
  /** The fields of a webhook that are sent. Absent: all. */
  allowedFields?: readonly string[]
  /** The keys, each of which makes a signature. Empty: messages are not signed. */
  secrets: readonly Uint8Array[]
  /** How long an attempt may take, in ms. */
  timeoutMs: number
  /** How long to wait after the failed attempt 1, 2, …, in ms. */
  backoffMs: (attempt: number) => number
  /** Wraps each attempt, for metrics and traces: runs it and returns its result. */
  onAttempt: (
    delivery: QueuedDelivery,
    attempt: () => Promise<AttemptResult>,
  ) => Promise<AttemptResult>
  clock: Clock
  log: Log
}

/** How many deliveries are sent at once. */
const CONCURRENCY = 32
/** How often to look for deliveries that another process wrote or left, in ms. */
const POLL_MS = 5_000
/** How much longer a claim lasts than its attempt may take, in ms. */
const CLAIM_MARGIN_MS = 2_000
/** The status with which a receiver asks for no further attempts. */
const GONE = 410

export class WebhookSender {
  readonly #parts: SenderParts
  readonly #sending = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  /** Deliveries do not inherit the async context of the caller that woke the sender. */
  readonly #looks = new Looks(() => this.#claimAll())
  #isStarted = false

  constructor(parts: SenderParts) {
    this.#parts = parts
  }

  start(): void {
    this.#isStarted = true
    this.wake()
  }

  /** Cuts off attempts under way. Another server repeats them. */
  async stop(): Promise<void> {
    this.#isStarted = false
    this.#stopping.abort()
    await this.#looks.stop()
    await Promise.all(this.#sending)
  }

  /** Looks for deliveries now. Call it after the commit that wrote one or made one due again. */
  wake(): void {
    if (this.#isStarted) this.#looks.request()
  }

  /** Sends a message that is not stored, once. Never rejects. */
  async sendOnce(
    delivery: Pick<QueuedDelivery, 'delivery_id' | 'url' | 'payload' | 'headers'>,
  ): Promise<Pick<AttemptResult, 'response_status' | 'error'>> {
    return outcomeOf(await this.#post(delivery))
  }

  /** Claims as many deliveries as there is room for. Returns when to look again, in ms. */
  async #claimAll(): Promise<number> {
    const { deliveries, clock, log } = this.#parts
    try {
      while (this.#hasRoom() && (await this.#claim())) {}
      if (!this.#hasRoom()) return POLL_MS
      const due = await deliveries.nextDue()
      return due === undefined ? POLL_MS : Math.min(Math.max(due - clock.now(), 1), POLL_MS)
    } catch (error) {
      log.error({ err: error }, 'could not look for webhooks to send; it is tried again')
      return POLL_MS
    }
  }

  #hasRoom(): boolean {
    return this.#isStarted && this.#sending.size < CONCURRENCY
  }

  async #claim(): Promise<boolean> {
    const { deliveries, clock, timeoutMs } = this.#parts
    const now = clock.now()
    const delivery = await deliveries.claim({ now, again_at: now + timeoutMs + CLAIM_MARGIN_MS })
    if (!delivery) return false
    const sending = this.#deliver(delivery).then(() => {
      this.#sending.delete(sending)
      this.wake()
    })
    this.#sending.add(sending)
    return true
  }

  /** Never rejects. */
  async #deliver(delivery: QueuedDelivery): Promise<void> {
    const { deliveries, onAttempt, clock, log } = this.#parts
    const { delivery_id, run_id, thread_id } = delivery
    const line = log.child({ delivery_id, run_id, thread_id, attempt: delivery.attempt })
    try {
      const result = await onAttempt(delivery, () => this.#attempt(delivery))
      const updated_at = timestamp(clock)
      await deliveries.settle(delivery, { ...result, updated_at })
      tell(line, result)
    } catch (error) {
      line.error({ err: error }, 'could not note what came of a webhook; it is sent again')
    }
  }

  async #attempt(delivery: QueuedDelivery): Promise<AttemptResult> {
    const { problem } = delivery
    if (problem !== null) return this.#resultOf(delivery, { problem })
    return this.#resultOf(delivery, await this.#post(delivery))
  }

  #post(delivery: Parameters<WebhookSender['sendOnce']>[0]): Promise<Answer> {
    const { post, clock, timeoutMs } = this.#parts
    const time = AbortSignal.timeout(timeoutMs)
    const message = this.#messageOf(delivery, clock.now())
    return post(message, AbortSignal.any([this.#stopping.signal, time]))
  }

  #messageOf(
    { delivery_id, url, payload, ...own }: Parameters<WebhookSender['sendOnce']>[0],
    now: number,
  ): Message {
    const { headers, secrets, allowedFields } = this.#parts
    const whole = `${payload.slice(0, -1)},"webhook_sent_at":"${momentOf(now)}"}`
    const sent = allowedFields ? () => pickFields(whole, allowedFields) : () => whole
    const body = own.headers ? payload : sent()
    return {
      url,
      body,
      headers: {
        ...{ 'user-agent': 'Runyard', 'content-type': 'application/json' },
        ...(own.headers ?? headers),
        ...signatureHeaders({ id: delivery_id, body }, now, secrets),
      },
    }
  }

  #resultOf({ attempt, last_attempt }: QueuedDelivery, answer: Answer): AttemptResult {
    const { response_status, error } = outcomeOf(answer)
    if (error === null) return { status: 'delivered', response_status, error }
    const isLast = attempt >= last_attempt || response_status === GONE
    if (isLast && !this.#stopping.signal.aborted)
      return { status: 'failed', response_status, error }
    const { clock, backoffMs } = this.#parts
    const waitMs = this.#stopping.signal.aborted ? 0 : backoffMs(attempt)
    return { status: 'pending', next_attempt_at: clock.now() + waitMs, response_status, error }
  }
}

/** Applied at sending, so that a stricter rule also holds for queued deliveries. */
function pickFields(body: string, allowed: readonly string[]): string {
  const fields = Object.entries(JSON.parse(body) as JsonObject)
  return JSON.stringify(Object.fromEntries(fields.filter(([name]) => allowed.includes(name))))
}

/** `error` is `null` for a response of 2xx. */
function outcomeOf(answer: Answer): Pick<AttemptResult, 'response_status' | 'error'> {
  if ('problem' in answer) return { response_status: null, error: answer.problem }
  const { response_status } = answer
  const isTaken = response_status >= 200 && response_status < 300
  return { response_status, error: isTaken ? null : refusalOf(response_status) }
}

function refusalOf(status: number): string {
  const isRedirect = status >= 300 && status < 400
  return `It answered ${status}${isRedirect ? '; redirects are not followed' : ''}.`
}

function tell(line: Log, { status, error, response_status }: AttemptResult): void {
  if (status === 'delivered') line.debug({ response_status }, 'delivered a webhook')
  else if (status === 'pending') line.info({ reason: error }, 'a webhook is sent again later')
  else line.warn({ reason: error }, 'gave a webhook up; it can be redelivered by hand')
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 3_600_000

/** One second after the first attempt, then four times as long each time, up to an hour. */
export function exponentialBackoff(attempt: number): number {
  const waitMs = Math.min(FIRST_WAIT_MS * 4 ** (attempt - 1), LONGEST_WAIT_MS)
  // Spreads the attempts, so that they do not all arrive at once when a receiver is back.
  return Math.round(waitMs * (1 + Math.random() / 5))
}

/**
 * The headers `webhook-id`, `webhook-timestamp` (s since 1970) and, with secrets, `webhook-signature`. It
 * has one signature for each secret, so that receivers can change from one secret to the next.
 */
function signatureHeaders(
  message: { id: string; body: string },
  /** ms since 1970 */
  now: number,
  secrets: readonly Uint8Array[],
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const signed = `${message.id}.${timestamp}.${message.body}`
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`,
  )
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  }
}
