/** Asks an agent server whether it answers. */
import { get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Endpoint } from '../../core/runtime.ts'
import { GATEWAY_TOKEN_HEADER } from '../../core/runtime-protocol.ts'

const POLL_MS = 50
const ANSWER_LIMIT_MS = 5000

/** Settles once `GET /ok` answers 200; rejects when `signal` is aborted first. */
export async function waitUntilHealthy(endpoint: Endpoint, signal: AbortSignal): Promise<void> {
  while (!(await isHealthy(endpoint, signal))) {
    await delay(POLL_MS, undefined, { signal })
  }
}

function isHealthy(endpoint: Endpoint, signal: AbortSignal): Promise<boolean> {
  const headers = { [GATEWAY_TOKEN_HEADER]: endpoint.token }
  return new Promise((resolve) => {
    // No connection is kept: it would outlive the process that it leads to.
    const options = { headers, signal, agent: false, timeout: ANSWER_LIMIT_MS }
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
