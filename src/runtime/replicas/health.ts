/** Asks an agent server whether it answers. */
import { get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { GATEWAY_TOKEN_HEADER } from '../../core/deployment/internal-requests.ts'
import type { Endpoint } from '../../core/deployment/runtime.ts'

const POLL_MS = 50
const ANSWER_LIMIT_MS = 5000

/** When a running agent server counts as hung. */
export interface HealthCheck {
  /** How long after an answer it is asked again, in ms. */
  everyMs: number
  /** How long it may take to answer, in ms. */
  answerMs: number
  /** How many failures in a row make it hung. */
  failures: number
}

/** A graph may hold the event loop for half a minute before its process is given up. */
export const DEFAULT_HEALTH_CHECK: HealthCheck = { everyMs: 10_000, answerMs: 10_000, failures: 3 }

/** Resolves once `GET /ok` answers 200; rejects when `signal` is aborted first. */
export async function waitUntilHealthy(endpoint: Endpoint, signal: AbortSignal): Promise<void> {
  while (!(await isHealthy(endpoint, signal, ANSWER_LIMIT_MS))) {
    await delay(POLL_MS, undefined, { signal })
  }
}

/** Resolves, with half a sentence, when it no longer answers; rejects when `signal` is aborted first. */
export async function waitUntilHung(
  endpoint: Endpoint,
  { everyMs, answerMs, failures }: HealthCheck,
  signal: AbortSignal,
): Promise<string> {
  for (let inARow = 0; inARow < failures; ) {
    // After an immediate failure it waits before it asks again.
    await delay(inARow === 0 ? everyMs : POLL_MS, undefined, { signal })
    inARow = (await isHealthy(endpoint, signal, answerMs)) ? 0 : inARow + 1
    signal.throwIfAborted()
  }
  return `it did not answer GET /ok ${failures} times in a row, for ${answerMs / 1000} s each`
}

function isHealthy(endpoint: Endpoint, signal: AbortSignal, limitMs: number): Promise<boolean> {
  const headers = { [GATEWAY_TOKEN_HEADER]: endpoint.token }
  return new Promise((resolve) => {
    // No connection is kept: it would outlive the process that it leads to.
    const options = { headers, signal, agent: false, timeout: limitMs }
    const request = get(`${endpoint.url}/ok`, options, (response) => {
      response.resume()
      response.once('error', () => resolve(false))
      response.once('end', () => resolve(response.statusCode === 200))
    })
    request.once('timeout', () => request.destroy())
    request.once('error', () => resolve(false))
    request.once('close', () => resolve(false))
  })
}
