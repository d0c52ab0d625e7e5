/** The verb that measures a thread. */
import type { Caller } from '../../core/agent/authorization.ts'
import type { StorageUse } from '../../core/agent/checkpoint.ts'
import type { Parts } from '../parts.ts'
import { authorizeOnThread, requireThread } from './verbs.ts'

/** The size of the thread's history in the database, in bytes. Throws `not_found`. */
export async function measureThread(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  thread_id: string,
): Promise<StorageUse & { thread_id: string; total_bytes: number }> {
  const filter = await authorizeOnThread(parts, caller, 'read', thread_id)
  await requireThread(parts.store.threads, thread_id, filter)
  const use = await parts.store.checkpoints.measure(thread_id)
  const { checkpoints, channel_values, pending_writes } = use
  const total_bytes = checkpoints.bytes + channel_values.bytes + pending_writes.bytes
  return { thread_id, total_bytes, ...use }
}
