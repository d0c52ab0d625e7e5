/** Where samples are kept for a day. */
import type { Sample } from './sample.ts'

/** Stands for the control plane itself in place of a deployment's id. */
export const CONTROL_PLANE_ID = ''

export interface StoredSample {
  deployment_id: string
  /** When its step began, in ms since 1970. */
  at: number
  sample: Sample
}

export interface FiguresStore {
  /** Adds samples. Where there is one of the same deployment and moment, that one stays. */
  add(samples: readonly StoredSample[]): Promise<void>
  /** Those of a deployment from one moment on and before another, in ms since 1970, in the order of time. */
  list(deployment_id: string, range: { from: number; to: number }): Promise<StoredSample[]>
  /** Forgets what began before this moment. Answers how many. */
  expire(before: number): Promise<number>
}
