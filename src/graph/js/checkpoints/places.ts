/**
 * With `version: 'v2'`, LangGraph since 1.3 announces the checkpoint of the values that come next. Older versions emit
 * in mode `checkpoints` the whole checkpoint right after its values: this turns the second form into the first.
 */
import type { SnapshotConfig } from '../langgraph/state.ts'

/** `[mode, payload]`, or with subgraphs `[namespace, mode, payload]`. */
export type Chunk = unknown[]

interface CheckpointPayload {
  config: SnapshotConfig
  parentConfig?: SnapshotConfig
  metadata?: { step?: number; source?: string }
}

/** The chunks with the places of checkpoints, and without the checkpoints themselves. */
export async function* withPlaces(chunks: AsyncIterable<Chunk>): AsyncIterable<Chunk> {
  /** Values, held back for one chunk: the next may be their checkpoint. */
  let held: Chunk | undefined
  try {
    for await (const chunk of chunks) {
      const { namespace, mode, payload } = partsOf(chunk)
      const isTold = mode === 'checkpoints'
      if (isTold && held && isAlike(namespace, partsOf(held).namespace)) {
        yield [...namespace, mode, placeIn(payload as CheckpointPayload)]
      }
      if (held) yield held
      held = isCheckpointed(mode, payload) ? chunk : undefined
      if (!held && !isTold) yield chunk
    }
  } catch (error) {
    if (held) yield held
    throw error
  }
  if (held) yield held
}

/** `namespace`: a list with it, or an empty one. */
export function partsOf(chunk: Chunk): { namespace: unknown[]; mode: string; payload: unknown } {
  const at = Array.isArray(chunk[0]) ? 1 : 0
  return { namespace: chunk.slice(0, at), mode: chunk[at] as string, payload: chunk[at + 1] }
}

/** An interrupt is emitted as values too, but has no checkpoint. */
function isCheckpointed(mode: string, payload: unknown): boolean {
  if (mode !== 'values') return false
  return typeof payload !== 'object' || payload === null || !('__interrupt__' in payload)
}

function isAlike(one: unknown[], other: unknown[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function placeIn({ config, parentConfig, metadata }: CheckpointPayload): object {
  const parent_id = parentConfig?.configurable?.checkpoint_id
  return {
    id: config.configurable?.checkpoint_id,
    ...(parent_id !== undefined && { parent_id }),
    step: metadata?.step,
    source: metadata?.source,
  }
}
