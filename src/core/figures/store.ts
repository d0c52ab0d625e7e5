/** Stores samples for a day. */
import type { Sample } from './sample.ts'

/** The id of the control plane itself, instead of a deployment's. */
export const CONTROL_PLANE_ID = ''

export interface StoredSample {
  deployment_id: string
  /** When its step began, in ms since 1970. */
  at: number
  sample: Sample
}

export interface FiguresStore {
  /** Adds samples. An existing one of the same deployment and moment stays. */
  add(samples: readonly StoredSample[]): Promise<void>
  /** A deployment's samples from one moment on and before another, in ms since 1970, in the order of time. */
  list(deployment_id: string, range: { from: number; to: number }): Promise<StoredSample[]>
  /** Removes samples from before this moment. Returns how many. */
  expire(before: number): Promise<number>
}
