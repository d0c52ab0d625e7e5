/** The history of a deployment's revisions on the wire. */
import { z } from '@hono/zod-openapi'
import { REVISION_REASONS, REVISION_STATUSES } from '../../core/deployment/revision.ts'
import { Limit, Offset } from '../operations/text.ts'

const Names = z.array(z.string())

/**
 * `since`: the number of the revision with which it is compared: the last one before it that began to serve, or the one
 * before it if none did. Fields are named as in
 * `source_revision_config` and `source_config`, with `resource_spec.max_scale` and the like for its
 * members; null: not set. Secrets are listed by name only.
 */
export const RevisionChangesSchema = z
  .object({
    since: z.int(),
    fields: z.array(z.object({ name: z.string(), before: z.unknown(), after: z.unknown() })),
    secrets: z.object({ added: Names, changed: Names, removed: Names }),
  })
  .openapi('RevisionChanges')

export type RevisionChanges = z.infer<typeof RevisionChangesSchema>

/**
 * `made_by`: the name of the key or the person at that time; null: made by Runyard itself. `made_for`: the
 * action that led to the revision; `repeats`: the number of the revision that it repeats. `steps`: when each
 * status began. Revisions from before Runyard noted this have null, and no steps. `changes`: null for the
 * first revision.
 */
const RevisionHistoryEntrySchema = z
  .object({
    revision_id: z.uuid(),
    number: z.int(),
    made_by: z.string().nullable(),
    made_for: z.enum(REVISION_REASONS).nullable(),
    repeats: z.int().nullable(),
    steps: z.array(z.object({ status: z.enum(REVISION_STATUSES), began_at: z.iso.datetime() })),
    changes: RevisionChangesSchema.nullable(),
  })
  .openapi('RevisionHistoryEntry')

export type RevisionHistoryEntry = z.infer<typeof RevisionHistoryEntrySchema>

/** `offset` is the one to ask for next. An empty page is the end. */
export const RevisionHistorySchema = z
  .object({ resources: z.array(RevisionHistoryEntrySchema), offset: z.int() })
  .openapi('RevisionHistory')

export const RevisionHistoryQuerySchema = z.object({ limit: Limit, offset: Offset })
