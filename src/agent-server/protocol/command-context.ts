import type { Caller } from '../../core/agent/authorization.ts'
import type { Parts } from '../agent-server-parts.ts'
import type { CreationParts } from '../runs/run-creation.ts'

/** The caller of a command, and its thread. */
export interface CommandContext {
  parts: CreationParts & Pick<Parts, 'log'>
  caller: Caller
  thread_id: string
}
