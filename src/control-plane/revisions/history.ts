/** The history of a deployment's revisions: who made each and why, its steps, and its changes. */
import { isDeepStrictEqual } from 'node:util'
import type { Revision, Secret } from '../../core/deployment/revision.ts'
import { sourceConfigOf } from '../../core/deployment/sources/config.ts'
import { withoutCredentials } from '../../core/deployment/sources/repo-url.ts'
import type { JsonValue } from '../../core/json.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { requireDeployment } from '../deployments/access.ts'
import type { RevisionChanges, RevisionHistoryEntry } from './history-schemas.ts'

/** Newest first. Throws `not_found`. */
export async function readHistory(
  parts: Pick<ControlPlaneParts, 'store'>,
  principal: Principal,
  deployment_id: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ resources: RevisionHistoryEntry[]; offset: number }> {
  await requireDeployment(parts.store, principal, deployment_id)
  const { revisions } = parts.store
  const found = await revisions.list(deployment_id, { limit, offset })
  const oldest = found.at(-1)
  const older = oldest && (await revisions.before(deployment_id, oldest.number))
  const resources = found.map((revision, index) => {
    const earlier = [...found.slice(index + 1), ...(older ? [older] : [])]
    return entryOf(revision, earlier.find(({ deployed_at }) => deployed_at !== null) ?? earlier[0])
  })
  return { resources, offset: offset + resources.length }
}

function entryOf(revision: Revision, before: Revision | undefined): RevisionHistoryEntry {
  const { id, number, made_by, made_for, repeats, steps } = revision
  const changes = before ? changesBetween(before, revision) : null
  return { revision_id: id, number, made_by, made_for, repeats, steps, changes }
}

export function changesBetween(before: Revision, after: Revision): RevisionChanges {
  return {
    since: before.number,
    fields: changedFields(before, after),
    secrets: changedSecrets(before.secrets, after.secrets),
  }
}

function changedFields(before: Revision, after: Revision): RevisionChanges['fields'] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  const names = new Set([...Object.keys(old), ...Object.keys(now)])
  return [...names]
    .map((name) => ({ name, before: old[name] ?? null, after: now[name] ?? null }))
    .filter((field) => !isDeepStrictEqual(field.before, field.after))
}

/** The fields that an agent server is built and started from, flat: `repo_ref`, `resource_spec.max_scale`, … */
function fieldsOf(revision: Revision): Record<string, JsonValue> {
  const config = sourceConfigOf(revision)
  const { repo_url, install_command, build_command, resource_spec, webhooks } = config
  const limits = Object.entries(resource_spec ?? {}).map(([name, value]) => [
    `resource_spec.${name}`,
    value,
  ])
  return {
    source: revision.source,
    ...revision.source_revision_config,
    repo_url: repo_url && withoutCredentials(repo_url),
    install_command: install_command ?? null,
    build_command: build_command ?? null,
    webhooks: webhooks?.length ? webhooks : null,
    ...Object.fromEntries(limits),
  }
}

/** Names only: values are never shown here. */
function changedSecrets(before: Secret[], after: Secret[]): RevisionChanges['secrets'] {
  const old = new Map(before.map(({ name, value }) => [name, value]))
  const now = new Map(after.map(({ name, value }) => [name, value]))
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    changed: [...now]
      .filter(([name, value]) => (old.get(name) ?? value) !== value)
      .map(([name]) => name),
    removed: [...old.keys()].filter((name) => !now.has(name)),
  }
}
