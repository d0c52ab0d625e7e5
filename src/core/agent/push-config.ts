/**
 * Where a task of the Agent2Agent protocol is posted to when one of its runs ends: a task may have
 * several. They go with the task's thread.
 */
import type { JsonObject } from '../json.ts'

/** The versions of the protocol, which tell a task in different words. */
const PUSH_VERSIONS = ['0.3', '1.0'] as const
export type PushVersion = (typeof PUSH_VERSIONS)[number]

export interface PushConfig {
  task_id: string
  /** Unique within the task. */
  config_id: string
  thread_id: string
  /** In which words the task is told: those in which the config was given. */
  version: PushVersion
  created_at: string
  /** As the client gave it, in the words of 1.0: `url`, `token`, `authentication`. */
  config: JsonObject
}

/** Every method is one atomic step. */
export interface PushConfigStore {
  /** In place of the one with the same ids. */
  put(config: PushConfig): Promise<void>
  /** A task's, the first one first. */
  list(task_id: string): Promise<PushConfig[]>
  /** `false`: there is none. */
  delete(task_id: string, config_id: string): Promise<boolean>
}
