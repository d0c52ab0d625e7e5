/** `Idempotency-Key`: a repeated creation request finds the runs that the first one created. */
import { createHash } from 'node:crypto'
import type { AgentStore } from '../../core/agent/agent-store.ts'
import type { Caller } from '../../core/agent/authorization.ts'
import { IDEMPOTENCY_KEY_MS, type IdempotencyKey } from '../../core/agent/idempotency-key.ts'
import type { QueuedRun } from '../../core/agent/run.ts'
import { AppError, invalidField } from '../../core/errors.ts'
import { isObject } from '../../core/json.ts'

/** The key of one run's creation. */
export type KeyInUse = Pick<IdempotencyKey, 'scope' | 'key' | 'fingerprint'>

/**
 * The key for one run of this caller, on this thread (`null`: stateless), at this place of a batch.
 * `request`: the whole request, for the fingerprint.
 */
export function keyInUse(
  key: string,
  of: { caller: Caller; thread_id: string | null; place?: number; request: unknown },
): KeyInUse {
  const { caller, thread_id, place = null, request } = of
  return {
    key,
    scope: JSON.stringify([caller.identity ?? null, thread_id, place]),
    fingerprint: createHash('sha256').update(canonicalJson(request)).digest('base64url'),
  }
}

/**
 * Part of a transaction: the run that the key created within the last day; `undefined`: the key is
 * free. Throws `invalid` if the key came with another request (as in the IETF's draft of the header),
 * and `conflict` if its run was removed: a key never runs twice.
 */
export async function findRepeated(
  tx: AgentStore,
  { scope, key, fingerprint }: KeyInUse,
  now: number,
): Promise<QueuedRun | undefined> {
  const known = await tx.idempotencyKeys.find(scope, key)
  if (!known || known.created_at < now - IDEMPOTENCY_KEY_MS) return undefined
  if (known.fingerprint !== fingerprint) {
    throw invalidField(
      ['header', 'idempotency-key'],
      'This key came with another request before; use a new key for a new run.',
    )
  }
  const run = await tx.runs.get(known.run_id)
  if (run) return run
  throw new AppError(
    'conflict',
    `Run ${known.run_id}, which this Idempotency-Key created, is gone, and is not run again. Use a new key for a new run.`,
  )
}

/** Part of the transaction that adds the run. `now` in ms since 1970. */
export async function rememberKey(
  tx: AgentStore,
  key: KeyInUse,
  run_id: string,
  now: number,
): Promise<void> {
  await tx.idempotencyKeys.put({ ...key, run_id, created_at: now })
}

/** JSON text that is independent of the order of an object's keys. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (!isObject(part)) return part
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
