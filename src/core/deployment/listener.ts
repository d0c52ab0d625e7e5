import { randomBytes } from 'node:crypto'
import type { Deployment } from './deployment.ts'
import { sourceConfigOf } from './sources/config.ts'

/**
 * A listener: what runs deployments of source `external_docker` in a cluster of its own (`runyard listener`). It asks
 * the control plane what is to run there (`listener-protocol.ts`), with a key that is good for nothing else.
 */
export interface Listener {
  id: string
  workspace_id: string
  compute_type: 'k8s'
  /** Unique in the workspace. */
  compute_id: string
  compute_config: { k8s_namespaces: string[] | null }
  version: string | null
  /** Where its gateway is reached, without a slash at the end, as it said last. */
  url: string | null
  /** Of the listener's key; `null`: it has none. */
  key_hash: string | null
  /** When it took part in an exchange last, to within `HEARD_STEP_MS`; `null`: it never has. */
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

/** How much older than the truth `last_heard_at` may be, in ms: an exchange of an idle listener takes 25 s. */
export const HEARD_STEP_MS = 5_000

/** After how long without an exchange a listener is away, in ms. */
export const LISTENER_AWAY_MS = 45_000

/** `unheard`: it has never been started. `away`: it was not heard from for `LISTENER_AWAY_MS`. */
export const LISTENER_STATES = ['unheard', 'listening', 'away'] as const
type ListenerState = (typeof LISTENER_STATES)[number]

export function stateOfListener(
  { last_heard_at }: Pick<Listener, 'last_heard_at'>,
  now: number,
): ListenerState {
  if (last_heard_at === null) return 'unheard'
  return now - Date.parse(last_heard_at) < LISTENER_AWAY_MS ? 'listening' : 'away'
}

/** Why what the listener is to run waits, as a sentence; `undefined`: it was heard from, and waits for nothing. */
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

/** Whether what runs is to run where it is told of, somewhere else, or nowhere any more. */
export type Place = 'there' | 'elsewhere' | 'nowhere'

/** Where the record has a deployment run of which a listener tells; `undefined`: it is not in the record. */
export function placeOf(
  listener_id: string,
  deployment: Pick<Deployment, 'status' | 'source_config'> | undefined,
): Place {
  // Whoever removes it has looked what there is to end, and does not look again.
  if (!deployment || deployment.status === 'AWAITING_DELETE') return 'nowhere'
  return sourceConfigOf(deployment).listener_id === listener_id ? 'there' : 'elsewhere'
}
