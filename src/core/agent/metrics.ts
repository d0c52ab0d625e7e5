/** Figures about a server: what its parts tell as it happens, and who adds it up. */
import type { RunStatus } from './run.ts'
import type { DeliveryStatus } from './webhook.ts'

export const METRICS_FORMATS = ['prometheus', 'json'] as const
export type MetricsFormat = (typeof METRICS_FORMATS)[number]

/** A request that was answered. */
export interface AnsweredRequest {
  method: string
  /** As the route is written: `/threads/{thread_id}`; `other`: there is none. */
  route: string
  status: number
  seconds: number
}

/** What every server tells of its requests. */
export interface RequestMetrics {
  requestAnswered(request: AnsweredRequest): void
}

/** All figures as they are now, in a form to be sent. */
interface ReadableMetrics {
  read(format: MetricsFormat): Promise<{ contentType: string; body: string }>
}

/** Those of an agent server. */
export interface AgentMetrics extends RequestMetrics, ReadableMetrics {
  /** `waited`: since it was due, in s. */
  runStarted(run: { waited: number }): void
  /** `seconds`: since it was started. */
  runEnded(run: { status: Exclude<RunStatus, 'pending' | 'running'>; seconds: number }): void
  /** The graph's first output, in s since the run was due. */
  firstEvent(seconds: number): void
  /** A stream was opened; the answer is to be called once when it is closed. */
  streamOpened(): () => void
  webhookAttempted(attempt: { status: DeliveryStatus; seconds: number }): void
}

export const noAgentMetrics: AgentMetrics = {
  requestAnswered() {},
  runStarted() {},
  runEnded() {},
  firstEvent() {},
  streamOpened: () => () => {},
  webhookAttempted() {},
  read: async () => ({ contentType: 'text/plain', body: '' }),
}

/** A request that went to an agent server through the gateway. */
export interface PassedRequest {
  /** Its name. */
  deployment: string
  status: number
  /** Until the end of the answer. */
  seconds: number
}

/** Those of the control plane. */
export interface ControlPlaneMetrics extends RequestMetrics, ReadableMetrics {
  requestPassed(request: PassedRequest): void
}
