/**
 * A webhook delivery: what one run's end posts to the URL that the run was created with, or to a webhook of the
 * deployment. The row is written with the end itself, so there is one for each end and URL, and none without an end.
 *
 * ```
 * pending ──answered with 2xx──▶ delivered ──redelivered by hand──▶ pending
 *    │  ▲                                                             ▲
 *    │  └─other response, or none: tried again later                  │
 *    └──attempts used up, or no more wanted (410)────▶ failed ────────┘
 * ```
 */

import type { JsonObject } from '../json.ts'
import type { RunOrigin } from '../origin.ts'
import type { MetadataFilter } from './authorization.ts'
import type { RunError, RunStatus } from './run.ts'

/** After how many attempts the sender gives up: about an hour and a half after the first. */
export const DELIVERY_ATTEMPTS = 8

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** Every step a delivery's status may take. */
export const DELIVERY_TRANSITIONS: Readonly<Record<DeliveryStatus, readonly DeliveryStatus[]>> = {
  pending: ['delivered', 'failed'],
  delivered: ['pending'],
  failed: ['pending'],
}

/** `webhooks` of `langgraph.json`: the headers and fields of webhooks, and where they may go. */
export interface WebhookConfig {
  /** The prefix of the variables that headers may use. Default `LG_WEBHOOK_`. */
  envPrefix: string
  /** Templates: `Bearer ${{ env.LG_WEBHOOK_TOKEN }}`. */
  headers: Readonly<Record<string, string>>
  /** The fields of the body to send; empty: none. Absent: all. */
  allowedFields?: readonly string[]
  url: {
    /** `hooks.example.com`; `*.example.com` for the names below it. Empty: any. */
    allowedDomains: readonly string[]
    /** Empty: any. */
    allowedPorts: readonly number[]
    /** Default false. */
    isHttpsRequired: boolean
    /** `disable_loopback`: paths of the server itself are refused. Default false. */
    isLocalRefused: boolean
    /** `disable_private_ips`: public addresses only, whatever the operator allows. Default false. */
    isPrivateRefused: boolean
    /** In characters. Default and most: 65,536. */
    maxLength: number
  }
}

/** Which ends of runs a deployment's webhook gets. `failures`: those with status `error` or `timeout`. */
export const WEBHOOK_EVENTS = ['all', 'failures'] as const

/** How many webhooks one deployment may have. */
export const MAX_STANDING_WEBHOOKS = 10

/** A webhook of a whole deployment. It gets the ends of all runs, beside a run's own webhook. Stored as JSON. */
export type StandingWebhook = {
  /** `isStandingUrl`. */
  url: string
  events: (typeof WEBHOOK_EVENTS)[number]
}

/**
 * Whether a deployment's webhook may have the URL: a whole http or https URL without a password, which would be shown
 * with each delivery. A path of the server itself is refused: if it created runs, each of them would create the next.
 * A whole URL of the server itself is not recognised and can do the same.
 */
export function isStandingUrl(text: string): boolean {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  return url !== null && !url.username && !url.password
}

/** The fields of a delivery on the wire. */
export interface WebhookDelivery {
  /** Sent as `webhook-id`: the same with every attempt. */
  delivery_id: string
  run_id: string
  thread_id: string
  url: string
  status: DeliveryStatus
  created_at: string
  updated_at: string
  /** How often delivery was tried. */
  attempt: number
  /** The delivery is not sent before this moment, in ms since 1970. `null`: it is never sent by itself. */
  next_attempt_at: number | null
  /** The status of the latest response. `null`: none was received. */
  response_status: number | null
  /** Why the latest attempt failed. `null`: it succeeded, or there was none yet. */
  error: string | null
}

/** A delivery with the fields that only the sender needs. */
export interface QueuedDelivery extends WebhookDelivery {
  /** The number of the attempt after which the sender gives up. */
  last_attempt: number
  /** The body without `webhook_sent_at`: the text of a JSON object with at least one member. */
  payload: string
  /** Headers that replace the project's, for a message whose payload is sent unchanged. `null`: it is a webhook. */
  headers: Record<string, string> | null
  /** Why its headers cannot be read: it must not be sent without them. `null`: they can. */
  problem: string | null
  /** The request that made the run. */
  origin: RunOrigin | null
}

export interface NewDelivery
  extends Pick<
    QueuedDelivery,
    'delivery_id' | 'run_id' | 'thread_id' | 'url' | 'created_at' | 'last_attempt' | 'payload'
  > {
  /** Absent: it is a webhook. */
  headers?: Record<string, string>
  /** Why it cannot be sent: every attempt fails with this sentence. Absent: it can. */
  problem?: string
  /** The thread's metadata at the end of the run, which decides who may see the delivery. */
  metadata: JsonObject
  origin: RunOrigin | null
}

/** The result of one attempt. */
export type AttemptResult = Pick<WebhookDelivery, 'response_status' | 'error'> &
  (
    | { status: 'delivered' | 'failed' }
    | { status: 'pending' /** ms since 1970 */; next_attempt_at: number }
  )

export interface DeliveryQuery {
  run_id?: string
  thread_id?: string
  status?: DeliveryStatus
  /** The caller sees no others. */
  filter?: MetadataFilter
  /** Deliveries to these URLs are left out. */
  hidden_urls?: readonly string[]
}

/** The deliveries of one database. Every method is one atomic step; times are ms since 1970. */
export interface WebhookDeliveryStore {
  /** Adds a pending delivery that is due at once. */
  insert(delivery: NewDelivery): Promise<void>
  get(delivery_id: string, filter?: MetadataFilter): Promise<QueuedDelivery | undefined>
  /** The latest first. */
  search(query: DeliveryQuery, page: { limit: number; offset: number }): Promise<WebhookDelivery[]>
  /**
   * Claims the delivery that has been due longest, for one caller only, and counts the attempt. It is due
   * again at `again_at`, in case the caller dies. `undefined`: none is due.
   */
  claim(times: { now: number; again_at: number }): Promise<QueuedDelivery | undefined>
  /**
   * Writes the result of an attempt. `false`: it was not the latest attempt, or the delivery is no longer
   * pending.
   */
  settle(
    attempt: Pick<WebhookDelivery, 'delivery_id' | 'attempt'>,
    result: AttemptResult & { updated_at: string },
  ): Promise<boolean>
  /** Makes it due now, with `attempts` more of them. `false`: there is none. */
  redeliver(delivery_id: string, by: { now: number; attempts: number }): Promise<boolean>
  /** When the next one is due; `undefined`: none is pending. */
  nextDue(): Promise<number | undefined>
  /** The deployment's webhooks, which get the ends of all runs. */
  standing: readonly StandingWebhook[]
  /** How many are pending. */
  countPending(): Promise<number>
  /** Removes what was settled before this moment (ISO 8601). Returns how many. */
  expire(before: string): Promise<number>
}

/** The end of a run, as it is reported. */
export interface WebhookEnd {
  /** `rollback`: the run was removed. */
  status: Exclude<RunStatus, 'pending' | 'running'> | 'rollback'
  error: RunError | null
  /** The final values; absent: the run changed nothing. */
  values?: JsonObject
  /** The nodes that would be next: the graph stopped before its end. */
  next?: readonly string[]
}
