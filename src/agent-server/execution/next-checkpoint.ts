/** Waits until a run has a checkpoint from which another server can continue it. */
import { setTimeout as delay } from 'node:timers/promises'
import type { CheckpointStore } from '../../core/agent/checkpoint.ts'

/** Poll interval, in ms. Polls only while a stopping server waits for the last of its runs. */
const LOOK_MS = 20

/** Resolves when the thread's root graph has a new checkpoint, or the signal aborts. */
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
