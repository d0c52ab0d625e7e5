/**
 * Where the end of each of an Agent2Agent task's runs is posted. A task may have several of these. They are removed
 * with the task's thread.
 */
import type { JsonObject } from '../json.ts'

/** The versions of the protocol, which describe a task in different forms. */
const PUSH_VERSIONS = ['0.3', '1.0'] as const
export type PushVersion = (typeof PUSH_VERSIONS)[number]

export interface PushConfig {
  task_id: string
  /** Unique within the task. */
  config_id: string
  thread_id: string
  /** The version in whose form the task is posted: the one in which the config was given. */
  version: PushVersion
  created_at: string
  /** As the client gave it, in the form of 1.0: `url`, `token`, `authentication`. */
  config: JsonObject
  /**
   * Why its credentials cannot be read, as a sentence; `config` then lacks them. Absent: it is complete. Not stored.
   */
  problem?: string
}

/** Every method is one atomic step. */
export interface PushConfigStore {
  /** Adds the config. It replaces the one with the same ids. */
  put(config: PushConfig): Promise<void>
  /** The configs of a task, the oldest first. */
  list(task_id: string): Promise<PushConfig[]>
  /** `false`: there was none. */
  delete(task_id: string, config_id: string): Promise<boolean>
}
