/** The verbs on an assistant's versions. */
import type { Assistant } from '../../core/agent/assistant.ts'
import type { Caller } from '../../core/agent/authorization.ts'
import { timestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Parts } from '../parts.ts'
import { authorizeOnAssistant, requireAssistant } from './verbs.ts'

/** Newest first. Throws `not_found`. */
export async function listVersions(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  id: string,
  page: { metadata?: JsonObject; limit: number; offset: number },
): Promise<Assistant[]> {
  const filter = await authorizeOnAssistant(parts, caller, 'read', id)
  const { assistants } = parts.store
  const { assistant_id } = await requireAssistant(assistants, id, filter)
  return assistants.versions(assistant_id, page)
}

/** Puts a version in force. Throws `not_found` for the assistant and for the version. */
export async function setLatestVersion(
  parts: Pick<Parts, 'store' | 'authorize' | 'clock'>,
  caller: Caller,
  id: string,
  version: number,
): Promise<Assistant> {
  const value = { assistant_id: id, version }
  const event = { resource: 'assistants', action: 'update' } as const
  const filter = await parts.authorize(caller, event, value)
  return parts.store.transaction(async ({ assistants }) => {
    const before = await requireAssistant(assistants, id, filter)
    const chosen = await assistants.getVersion(before.assistant_id, version)
    if (!chosen) {
      throw new AppError('not_found', `Assistant version not found: "${id}" has no ${version}.`)
    }
    const { created_at } = before
    const assistant = { ...chosen, created_at, updated_at: timestamp(parts.clock) }
    await assistants.update(assistant)
    return assistant
  })
}
