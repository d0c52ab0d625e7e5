/**
 * The server's checkpoints for readers other than the run that writes them: a state update, a history, a node that
 * reads another thread. A run's checkpoints are written with a delay, so each access first waits for those writes.
 */
import type { CheckpointStore, GraphCheckpoints } from '../../core/agent/checkpoint.ts'
import type { EventLog } from '../../stream/event-log.ts'

export function settledCheckpoints(
  store: CheckpointStore,
  events: Pick<EventLog, 'settle'>,
): GraphCheckpoints {
  return {
    async get(at) {
      await events.settle(at)
      return store.get(at)
    },
    async list(query) {
      await events.settle(query)
      return store.list(query)
    },
    async put(checkpoint, versions, values) {
      await events.settle(checkpoint)
      await store.put(checkpoint, versions, values)
    },
    async putWrites(key, writes) {
      await events.settle(key)
      await store.putWrites(key, writes)
    },
    async deleteThread(thread_id) {
      await events.settle({ thread_id })
      await store.deleteThread(thread_id)
    },
  }
}
