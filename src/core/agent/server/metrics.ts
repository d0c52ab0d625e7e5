/** The metrics of a server: what its parts report, and how they are read. */
import type { RunStatus } from '../run.ts'
import type { DeliveryStatus } from '../webhook.ts'

export const METRICS_FORMATS = ['prometheus', 'json'] as const
export type MetricsFormat = (typeof METRICS_FORMATS)[number]

/** A request that was answered. */
export interface AnsweredRequest {
  method: string
  /** The pattern of the route: `/threads/{thread_id}`. `other`: no route matched. */
  route: string
  status: number
  seconds: number
}

/** What every server reports about its requests. */
export interface RequestMetrics {
  requestAnswered(request: AnsweredRequest): void
}

/** All present figures, in a form that can be sent. */
interface ReadableMetrics {
  read(format: MetricsFormat): Promise<{ contentType: string; body: string }>
}

/** What an agent server reports. */
export interface AgentMetrics extends RequestMetrics, ReadableMetrics {
  /** `waited`: the time since the run was due, in s. */
  runStarted(run: { waited: number }): void
  /** `seconds`: the time since the run was started. */
  runEnded(run: { status: Exclude<RunStatus, 'pending' | 'running'>; seconds: number }): void
  /** Reports the first output of a graph, in s after the run was due. */
  firstEvent(seconds: number): void
  /** Reports the first token of a model in a run, in s after the run was due. */
  firstToken(seconds: number): void
  /** Reports what a call of a model has read and written. */
  tokensUsed(tokens: { input: number; output: number }): void
  /** Reports an opened stream. Call the returned function once, when the stream is closed. */
  streamOpened(): () => void
  webhookAttempted(attempt: { status: DeliveryStatus; seconds: number }): void
}

export const noAgentMetrics: AgentMetrics = {
  requestAnswered() {},
  runStarted() {},
  runEnded() {},
  firstEvent() {},
  firstToken() {},
  tokensUsed() {},
  streamOpened: () => () => {},
  webhookAttempted() {},
  read: async () => ({ contentType: 'text/plain', body: '' }),
}

/** A request that went to an agent server through the gateway. */
export interface PassedRequest {
  /** The name of the deployment. */
  deployment: string
  status: number
  /** The time until the end of the response. */
  seconds: number
  /** It neither woke the deployment nor kept it awake: figures do not count it. */
  isGlance: boolean
}

/** What the control plane reports. */
export interface ControlPlaneMetrics extends RequestMetrics, ReadableMetrics {
  requestPassed(request: PassedRequest): void
}
