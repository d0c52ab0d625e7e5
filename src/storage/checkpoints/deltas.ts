/**
 * Channels that store what was written to them, and their whole value only now and then: `DeltaChannel` of LangGraph
 * for Python. Their value at a checkpoint is built from the checkpoints before it.
 */
import type { Db } from '../db/db.ts'

/** A checkpoint before which a history is cut. */
export interface Cut {
  checkpoint_ns: string
  checkpoint_id: string
  parent_checkpoint_id: string | null
  /** JSON. */
  metadata: string
  channel_versions: string
}

const PARENT = `
SELECT checkpoint_id, parent_checkpoint_id, channel_versions FROM checkpoints
WHERE thread_id = $1 AND checkpoint_ns = $2 AND checkpoint_id = $3`

const VALUE = `
SELECT 1 FROM channel_values
WHERE thread_id = $1 AND checkpoint_ns = $2 AND channel = $3 AND version = $4`

/** The ids of the earlier checkpoints that this one's channels need: back to the last whole value of each. */
export async function neededBefore(tx: Db, thread_id: string, cut: Cut): Promise<string[]> {
  const needed: string[] = []
  let missing = await withoutValue(tx, thread_id, cut, cut, deltaChannels(cut))
  let above = cut.parent_checkpoint_id
  while (missing.length > 0 && above !== null && !needed.includes(above)) {
    const parent = await tx.get<Cut>(PARENT, [thread_id, cut.checkpoint_ns, above])
    if (!parent) break
    needed.push(above)
    missing = await withoutValue(tx, thread_id, cut, parent, missing)
    above = parent.parent_checkpoint_id
  }
  return needed
}

/**
 * The delta channels that have been written to. LangGraph counts the steps since each channel's last whole value, and
 * leaves out channels that have it.
 */
function deltaChannels({ metadata, channel_versions }: Cut): string[] {
  const { counters_since_delta_snapshot: counters } = JSON.parse(metadata) as {
    counters_since_delta_snapshot?: Record<string, unknown>
  }
  const versions: Record<string, string> = JSON.parse(channel_versions)
  return Object.keys(counters ?? {}).filter((channel) => Object.hasOwn(versions, channel))
}

/** The channels that have no stored value at this checkpoint. */
async function withoutValue(
  tx: Db,
  thread_id: string,
  { checkpoint_ns }: Cut,
  { channel_versions }: Pick<Cut, 'channel_versions'>,
  channels: string[],
): Promise<string[]> {
  const versions: Record<string, string> = JSON.parse(channel_versions)
  const missing: string[] = []
  for (const channel of channels) {
    const place = [thread_id, checkpoint_ns, channel, versions[channel] ?? '']
    if (!(await tx.get(VALUE, place))) missing.push(channel)
  }
  return missing
}
