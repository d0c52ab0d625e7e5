/**
 * The `Send`s that wait for the next step, which each line of LangGraph keeps in its own way:
 *
 * | LangGraph | format | where |
 * |---|---|---|
 * | before 0.4 | 1 | `pending_sends`, beside the channels; before that as writes of the checkpoint before |
 * | before 1.4.9 | 4 | a channel, as a pair: nothing, and the list |
 * | later | 4 | a channel, as the list; the pair is read too |
 *
 * After an upgrade or a rollback, one version continues from what another wrote.
 */
import type { Checkpoint, SerializerProtocol } from '@langchain/langgraph-checkpoint'
import type { PendingWrite } from '../../../core/agent/checkpoint.ts'
import { isOlder } from '../../../core/package-version.ts'
import { load } from './values.ts'

const SENDS = '__pregel_tasks'
/** The first format that keeps sends in a channel. */
const FORMAT_WITH_CHANNEL = 4

/** Where a project's LangGraph expects the sends. */
export type SendsForm = 'beside' | 'pair' | 'list'

export function sendsFormOf(langgraphVersion: string): SendsForm {
  if (isOlder(langgraphVersion, '0.4.0')) return 'beside'
  return isOlder(langgraphVersion, '1.4.9') ? 'pair' : 'list'
}

/** Whether this checkpoint's sends are among the writes of its parent, and in another form than the wanted one. */
export function needsWritesOfParent({ v }: Checkpoint, form: SendsForm): boolean {
  return v < FORMAT_WITH_CHANNEL && form !== 'beside'
}

/** The checkpoint in the wanted form, whichever it was written in. */
export function withSends(checkpoint: Checkpoint, form: SendsForm): Checkpoint {
  if (checkpoint.v < FORMAT_WITH_CHANNEL) return checkpoint
  const { [SENDS]: written, ...channel_values } = checkpoint.channel_values
  if (form === 'beside') {
    return { ...checkpoint, channel_values, pending_sends: sendsIn(written) } as Checkpoint
  }
  if (written === undefined) return checkpoint
  const sends = toChannel(sendsIn(written), form)
  return { ...checkpoint, channel_values: { ...channel_values, [SENDS]: sends } }
}

/**
 * A checkpoint from before format 4, with its waiting sends as a channel. `version`: the channel's version if the
 * checkpoint has no versions at all.
 */
export async function withPendingSends(
  serde: SerializerProtocol,
  checkpoint: Checkpoint,
  {
    writesOfParent,
    version,
    form,
  }: { writesOfParent: PendingWrite[]; version: string; form: SendsForm },
): Promise<Checkpoint> {
  const sends = writesOfParent.filter((write) => write.channel === SENDS)
  const versions = Object.values(checkpoint.channel_versions).toSorted(compareVersions)
  const values = await Promise.all(sends.map((send) => load(serde, send)))
  return {
    ...checkpoint,
    channel_values: { ...checkpoint.channel_values, [SENDS]: toChannel(values, form) },
    channel_versions: { ...checkpoint.channel_versions, [SENDS]: versions.at(-1) ?? version },
  }
}

function toChannel(sends: unknown[], form: SendsForm): unknown[] {
  return form === 'pair' ? [[], sends] : sends
}

function sendsIn(channel: unknown): unknown[] {
  if (!Array.isArray(channel)) return []
  const [, second = []] = channel
  const isPair = channel.length === 2 && channel.every(Array.isArray)
  return isPair ? second : channel
}

/** Versions are all numbers or all strings that sort as text. */
function compareVersions(a: string | number, b: string | number): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
