/**
 * Whether a workspace has to prove that a host is its own, and the proof: a TXT record, which only the owner of the
 * host's DNS can set.
 */
import { createHmac } from 'node:crypto'
import { type Clock, momentOf } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import { AppError } from '../../core/errors.ts'
import { isOperator, type Principal } from '../../core/people/api-key.ts'
import type { DnsStates } from './dns.ts'

/** How long a released host is reserved for the workspace that had it, in ms. */
const KEPT_MS = 30 * 24 * 3_600_000

interface Parts {
  store: Pick<ControlPlaneStore, 'domains' | 'workspaces' | 'signingKey'>
  clock: Clock
}

/**
 * If a workspace released the host within the last 30 days, that workspace needs no proof and every other one does.
 * Otherwise a proof is needed when there are several workspaces, but not from operators.
 */
export async function needsProof({ store, clock }: Parts, principal: Principal, host: string) {
  const former = await store.domains.released(host)
  if (former && Date.parse(former.released_at) > clock.now() - KEPT_MS) {
    return former.workspace_id !== principal.workspace_id
  }
  if (isOperator(principal)) return false
  return (await store.workspaces.list({ limit: 2, offset: 0 })).length > 1
}

/** The record that proves it: always the same for one workspace and host, and different for every other pair. */
export function proofOf(
  { signingKey }: Pick<ControlPlaneStore, 'signingKey'>,
  { workspace_id }: Pick<Principal, 'workspace_id'>,
  host: string,
): { name: string; value: string } {
  const text = JSON.stringify(['domain', workspace_id, host])
  const token = createHmac('sha256', signingKey).update(text).digest('base64url')
  return { name: `_runyard.${host}`, value: `runyard-domain=${token}` }
}

/** Throws `forbidden` when the record is missing, `unavailable` when no DNS server answers in time. */
export async function requireProof(
  { store, dns }: Pick<Parts, 'store'> & { dns: Pick<DnsStates, 'textsOf'> },
  principal: Principal,
  host: string,
): Promise<void> {
  const { name, value } = proofOf(store, principal, host)
  const texts = await dns.textsOf(name)
  if (texts?.includes(value)) return
  const record = `the TXT record ${name} with the value "${value}"`
  if (texts === null) {
    const what = `No DNS server says in time whether there is ${record}. Try again.`
    throw new AppError('unavailable', `host: ${what}`)
  }
  throw unproven(host, record)
}

/** Notes that the workspace released the host, and forgets hosts released more than 30 days ago. */
export async function releaseDomain(
  { store, clock }: { store: Pick<ControlPlaneStore, 'domains'>; clock: Clock },
  host: string,
  workspace_id: string,
): Promise<void> {
  const now = clock.now()
  await store.domains.forgetReleased(momentOf(now - KEPT_MS))
  await store.domains.release({ host, workspace_id, released_at: momentOf(now) })
}

function unproven(host: string, record: string): AppError {
  return new AppError(
    'forbidden',
    `host: ${host} needs a proof that it is this workspace's. Create ${record}, and add the domain again. ` +
      'An admin of the first workspace adds domains without one, unless another workspace had the name within 30 days.',
  )
}
