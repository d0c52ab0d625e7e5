/** Waiting for a run to come to a place from which it can be continued elsewhere. */
import { setTimeout as delay } from 'node:timers/promises'
import type { CheckpointStore } from '../../core/agent/checkpoint.ts'

/** How often it is looked for, in ms: only while a server that ends waits for the last of its runs. */
const LOOK_MS = 20

/** Settles when the root graph of the thread has another checkpoint than now, or the signal aborts. */
export async function nextCheckpoint(
  checkpoints: Pick<CheckpointStore, 'latestId'>,
  { thread_id }: { thread_id: string },
  signal: AbortSignal,
): Promise<void> {
  const before = await checkpoints.latestId(thread_id)
  while (!signal.aborted && (await checkpoints.latestId(thread_id)) === before) {
    await delay(LOOK_MS, undefined, { signal }).catch(() => {})
  }
}
