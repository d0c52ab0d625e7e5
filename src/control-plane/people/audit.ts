/** Writes the audit log. */
import { randomUUID } from 'node:crypto'
import { type Clock, timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { AuditAction } from '../../core/people/audit.ts'

/** An action and its target; `detail` never contains the value of a secret. */
interface AuditedAction {
  action: AuditAction
  target_id: string
  target_name?: string | null
  /** The workspace of the log, if it is not the principal's own. */
  workspace_id?: string
  detail?: JsonObject
}

/** Adds an entry to the audit log: with a transaction's store, when the change is written with it. */
export async function record(
  { auditLog }: Pick<ControlPlaneStore, 'auditLog'>,
  clock: Clock,
  principal: Principal,
  deed: AuditedAction,
): Promise<void> {
  await auditLog.append({
    id: randomUUID(),
    created_at: timestamp(clock),
    workspace_id: deed.workspace_id ?? principal.workspace_id,
    actor_kind: principal.kind,
    actor_id: principal.user_id,
    actor_name: principal.name,
    action: deed.action,
    target_id: deed.target_id,
    target_name: deed.target_name ?? null,
    detail: deed.detail ?? {},
  })
}
