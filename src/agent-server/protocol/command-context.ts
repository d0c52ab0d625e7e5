import type { Caller } from '../../core/agent/authorization.ts'
import type { Parts } from '../parts.ts'

/** Who asks, and on which thread. */
export interface CommandContext {
  parts: Parts
  caller: Caller
  thread_id: string
}
