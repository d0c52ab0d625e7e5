import { randomBytes } from 'node:crypto'
import type { Deployment } from './deployment.ts'
import { sourceConfigOf } from './sources/config.ts'

/**
 * A listener (`runyard listener`) runs deployments of source `external_docker` in its own cluster. It asks the control
 * plane what to run (`listener-protocol.ts`), with a key that is valid for nothing else.
 */
export interface Listener {
  id: string
  workspace_id: string
  compute_type: 'k8s'
  /** Unique in the workspace. */
  compute_id: string
  compute_config: { k8s_namespaces: string[] | null }
  version: string | null
  /** The URL of its gateway, without a slash at the end, as last reported. */
  url: string | null
  /** The hash of its key; `null`: it has none. */
  key_hash: string | null
  /** The time of its last exchange, to within `HEARD_STEP_MS`; `null`: there was none yet. */
  last_heard_at: string | null
  created_at: string
  updated_at: string
}

export interface ListenerStore {
  /** Adds the listener. `false`: the workspace has one with this `compute_id`, and nothing was written. */
  insert(listener: Listener): Promise<boolean>
  get(workspace_id: string, id: string): Promise<Listener | undefined>
  findByKeyHash(key_hash: string): Promise<Listener | undefined>
  /** The listeners of one workspace, the newest first. */
  list(query: { workspace_id: string; limit: number; offset: number }): Promise<Listener[]>
  /** Absent members stay as they are; `key_hash: null` revokes the key. */
  update(
    id: string,
    patch: Partial<Pick<Listener, 'compute_config' | 'version' | 'url' | 'key_hash'>> & {
      updated_at: string
    },
  ): Promise<void>
  /** Changes nothing else, `updated_at` included. */
  noteHeard(id: string, last_heard_at: string): Promise<void>
  delete(id: string): Promise<void>
}

/** How far `last_heard_at` may lag behind, in ms: an exchange of an idle listener takes 25 s. */
export const HEARD_STEP_MS = 5_000

/** After how long without an exchange a listener is away, in ms. */
export const LISTENER_AWAY_MS = 45_000

/** `unheard`: it was never started. `away`: no exchange for `LISTENER_AWAY_MS`. */
export const LISTENER_STATES = ['unheard', 'listening', 'away'] as const
type ListenerState = (typeof LISTENER_STATES)[number]

export function stateOfListener(
  { last_heard_at }: Pick<Listener, 'last_heard_at'>,
  now: number,
): ListenerState {
  if (last_heard_at === null) return 'unheard'
  return now - Date.parse(last_heard_at) < LISTENER_AWAY_MS ? 'listening' : 'away'
}

/** Why the listener's deployments wait, as a sentence; `undefined`: the listener is not away. */
export function whyAway(
  listener: Pick<Listener, 'compute_id' | 'last_heard_at'>,
  now: number,
): string | undefined {
  if (stateOfListener(listener, now) === 'listening') return undefined
  const { compute_id, last_heard_at } = listener
  const heard =
    last_heard_at === null ? 'has never been heard from' : `was last heard from at ${last_heard_at}`
  return (
    `The listener ${compute_id} ${heard}: start it in its cluster with "runyard listener", or look whether it ` +
    'reaches the control plane. This goes on by itself when it is back.'
  )
}

const KEY = /^ryl_[\w-]{43}$/

/** A fresh key of a listener: `ryl_` and 32 random bytes in base64url. */
export function newListenerKey(): string {
  return `ryl_${randomBytes(32).toString('base64url')}`
}

/** Whether the text has the form of a listener's key. Proves nothing. */
export function isListenerKey(text: string): boolean {
  return KEY.test(text)
}

/** Whether a reported deployment should run at that listener, elsewhere, or nowhere. */
export type Place = 'there' | 'elsewhere' | 'nowhere'

/** Where the record places a deployment that a listener reports; `undefined`: the record has no such deployment. */
export function placeOf(
  listener_id: string,
  deployment: Pick<Deployment, 'status' | 'source_config'> | undefined,
): Place {
  // The code that deletes a deployment checks only once what it must end.
  if (!deployment || deployment.status === 'AWAITING_DELETE') return 'nowhere'
  return sourceConfigOf(deployment).listener_id === listener_id ? 'there' : 'elsewhere'
}
