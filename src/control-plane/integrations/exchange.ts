/** What a listener may do with its key: take part in its exchange, and look up the owner of a caller's key. */
import { timestamp } from '../../core/clock.ts'
import { HEARD_STEP_MS, isListenerKey, type Listener } from '../../core/deployment/listener.ts'
import type { ListenerOrders, ListenerReport } from '../../core/deployment/listener-protocol.ts'
import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import { keyIn } from '../../core/people/sent-key.ts'
import { hashKey } from '../../http/keys.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'

type Parts = Pick<ControlPlaneParts, 'store' | 'clock' | 'authenticate' | 'exchange'>

/** Throws `unauthenticated` without the key of a listener. */
export async function requireListenerKey(
  { store }: Pick<Parts, 'store'>,
  headers: Headers,
): Promise<Listener> {
  const key = keyIn(headers)
  const isFormed = key !== undefined && isListenerKey(key)
  const listener = isFormed ? await store.listeners.findByKeyHash(hashKey(key)) : undefined
  if (listener) return listener
  throw new AppError(
    'unauthenticated',
    'A listener’s key is needed, which begins with ryl_: the listener was created with it, and ' +
      'POST /v2/listeners/{listener_id}/key creates another. Send it as "X-Api-Key: KEY".',
  )
}

/** Notes when the listener reported, and its URL. Throws `unavailable` where another control plane leads. */
export async function exchangeWith(
  { store, clock, exchange }: Parts,
  listener: Listener,
  report: ListenerReport,
  signal: AbortSignal,
): Promise<ListenerOrders> {
  await noteHeard({ store, clock }, listener)
  if (report.url !== listener.url || report.runyard !== listener.version) {
    await store.listeners.update(listener.id, {
      ...(report.url !== null && { url: report.url }),
      version: report.runyard,
      updated_at: timestamp(clock),
    })
  }
  return exchange(listener, report, signal)
}

async function noteHeard(
  { store, clock }: Pick<Parts, 'store' | 'clock'>,
  { id, last_heard_at }: Listener,
): Promise<void> {
  const age = last_heard_at === null ? Infinity : clock.now() - Date.parse(last_heard_at)
  // Another control plane's clock may be ahead.
  if (Math.abs(age) >= HEARD_STEP_MS) await store.listeners.noteHeard(id, timestamp(clock))
}

/**
 * The owner of the key or token. Throws `unauthenticated` as the gateway does, and `forbidden` for an owner in another
 * workspace than the listener's.
 */
export async function callerOf(
  { authenticate }: Pick<Parts, 'authenticate'>,
  { workspace_id }: Listener,
  headers: Readonly<Record<string, string | undefined>>,
): Promise<Principal> {
  const principal = await authenticate({
    get: (name) => headers[name] ?? null,
    has: (name) => headers[name] !== undefined,
  })
  if (principal.workspace_id === workspace_id) return principal
  throw new AppError('forbidden', 'The key belongs to another workspace than the listener.')
}
