/** A listener's client of its control plane, with its key. */
import {
  EXCHANGE_WAIT_MS,
  type ListenerOrders,
  type ListenerReport,
} from '../core/deployment/listener-protocol.ts'
import { AppError, type ErrorCode } from '../core/errors.ts'
import type { Principal } from '../core/people/api-key.ts'

/** Time for an answer beyond the time for which the control plane holds it back, in ms. */
const ANSWER_MS = 15_000
/** Status codes that are passed on; others are the control plane's own trouble, and are tried again. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'bad_request',
  401: 'unauthenticated',
  403: 'forbidden',
  409: 'conflict',
  422: 'invalid',
}

export interface ControlPlaneClient {
  exchange(report: ListenerReport, signal: AbortSignal): Promise<ListenerOrders>
  /** Returns the principal of the key in these headers. Throws as the control plane's own gateway does. */
  caller(headers: Readonly<Record<string, string>>): Promise<Principal>
}

/** Throws `unavailable` if the control plane does not answer, and its refusals with their sentences. */
export function createControlPlaneClient({
  url,
  key,
}: {
  url: string
  key: string
}): ControlPlaneClient {
  const ask = async (path: string, body: unknown, signal: AbortSignal): Promise<unknown> => {
    const response = await fetch(`${url}/internal/listener/${path}`, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify(body),
      signal,
    }).catch((cause: unknown) => {
      signal.throwIfAborted()
      throw new AppError('unavailable', `The control plane at ${url} does not answer.`, { cause })
    })
    if (response.ok) return response.json()
    throw new AppError(CODES[response.status] ?? 'unavailable', await sentenceOf(response))
  }
  return {
    async exchange(report, signal) {
      const limit = AbortSignal.timeout(EXCHANGE_WAIT_MS + ANSWER_MS)
      const orders = await ask('exchange', report, AbortSignal.any([signal, limit]))
      return orders as ListenerOrders
    },
    async caller(headers) {
      return (await ask('caller', { headers }, AbortSignal.timeout(ANSWER_MS))) as Principal
    },
  }
}

async function sentenceOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined)
  const { detail } = (body ?? {}) as { detail?: unknown }
  if (typeof detail === 'string') return detail
  return `The control plane answers ${response.status}: ${JSON.stringify(detail ?? '').slice(0, 500)}`
}
