/** Checkpoints on the connection: JSON with the place of each byte string, and the byte strings behind it. */
import type { CheckpointRecord, TypedBytes } from '../../core/agent/checkpoint.ts'
import { WithBytes } from './frames.ts'

/** On the wire. */
type Placed<T extends TypedBytes> = Omit<T, 'bytes'> & { bytes: number }

/** A received value, with its bytes. */
export function filled<T extends TypedBytes>(value: Placed<T>, all: readonly Uint8Array[]): T {
  const bytes = all[value.bytes]
  if (bytes) return { ...value, bytes } as unknown as T
  throw new RangeError(`The frame has no bytes ${value.bytes}.`)
}

export function allFilled<T extends TypedBytes>(
  values: Placed<T>[],
  all: readonly Uint8Array[],
): T[] {
  return values.map((value) => filled(value, all))
}

/** Prepares one record or several to be sent. */
export function emptied(found: CheckpointRecord | CheckpointRecord[]): WithBytes {
  const all: Uint8Array[] = []
  const place = ({ bytes, ...rest }: TypedBytes) => ({ ...rest, bytes: all.push(bytes) - 1 })
  const placed = ({ checkpoint, values, writes, ...rest }: CheckpointRecord) => ({
    ...rest,
    checkpoint: place(checkpoint),
    values: values.map(place),
    writes: writes.map(place),
  })
  return new WithBytes(Array.isArray(found) ? found.map(placed) : placed(found), all)
}
