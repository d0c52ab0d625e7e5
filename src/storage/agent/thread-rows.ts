/** Reads rows of the `threads` table. The latest state is stored in the form that the API returns. */

import type { Interrupt, Thread, ThreadState } from '../../core/agent/thread.ts'
import type { JsonObject } from '../../core/json.ts'
import { decodeRow } from '../db/table.ts'

/** The columns of `threads AS t` without the state, which is most of a row. */
export const THREAD_COLUMNS_WITHOUT_STATE = `t.thread_id, t.created_at, t.updated_at,
  t.state_updated_at, t.metadata, t.config, t.status, t.error`

export const THREAD_COLUMNS = `${THREAD_COLUMNS_WITHOUT_STATE}, t.state`

type ThreadRow = Omit<Thread, 'values' | 'interrupts'> & { state?: ThreadState | null }

/** A thread's `values` and `interrupts` are parts of its state. */
export function toThread(row: object): Thread {
  const { state = null, ...thread } = decodeRow<ThreadRow>(row, ['metadata', 'config', 'state'])
  const hasValues = state !== null && state.checkpoint !== null
  return {
    ...thread,
    values: hasValues ? (state.values as JsonObject) : null,
    interrupts: collectInterrupts(state),
  }
}

function collectInterrupts(state: ThreadState | null): Record<string, Interrupt[]> {
  const asking = (state?.tasks ?? []).filter((task) => task.interrupts.length > 0)
  return Object.fromEntries(asking.map((task) => [task.id, task.interrupts]))
}
