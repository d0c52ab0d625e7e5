/** Revisions on the wire. */
import { z } from '@hono/zod-openapi'
import { isRevisionOver, REVISION_STATUSES } from '../../core/deployment/revision.ts'
import { SOURCES } from '../../core/deployment/sources/table.ts'
import { SecretReferenceSchema, SecretsSchema } from '../deployments/secret-schema.ts'
import { BooleanText, Limit, listOf, Message, nullishOf, Offset, Uuid } from '../operations/text.ts'
import {
  RevisionSource,
  SourceConfigRequestSchema,
  SourceRevisionConfigRequestSchema,
  SourceRevisionConfigSchema,
} from '../sources/source-schemas.ts'

const ParkedThreadsSchema = z
  .object({
    checked_at: z.iso.datetime(),
    parked: z.int(),
    broken: z.int(),
    threads: z.array(
      z.object({
        thread_id: z.string(),
        status: z.enum(['interrupted', 'busy']),
        graph_id: z.string(),
        is_graph_missing: z.boolean(),
        missing_nodes: z.array(z.string()),
        missing_keys: z.array(z.string()),
      }),
    ),
  })
  .openapi('ParkedThreads')

/** `x-terminal` lists the statuses that end a rollout, for generated clients. */
const RevisionStatusSchema = z
  .enum(REVISION_STATUSES)
  .openapi('RevisionStatus', { 'x-terminal': REVISION_STATUSES.filter(isRevisionOver) })

/**
 * `status_message` says why a revision failed: the step, the cause, the last log lines; or, while it is DEPLOYING,
 * what its start does just now, or that its listener is away. Runyard's own: `number` (1, 2, 3, … within the
 * deployment), `deployed_at`, when it began to serve, and `parked_threads`: the interrupted or busy threads that it
 * cannot continue, checked before its first request; `message`, as sent with the request that made it; and the author
 * and the first line of the commit that it is built from.
 */
export const RevisionSchema = z
  .object({
    id: z.uuid(),
    number: z.int(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    status: RevisionStatusSchema,
    status_message: z.string().nullable(),
    deployed_at: z.iso.datetime().nullable(),
    parked_threads: ParkedThreadsSchema.nullable(),
    source: z.enum(SOURCES),
    source_revision_config: SourceRevisionConfigSchema,
    message: z.string().nullable(),
    commit_author: z.string().nullable(),
    commit_subject: z.string().nullable(),
  })
  .openapi('Revision')

export type RevisionAnswer = z.infer<typeof RevisionSchema>

/**
 * Absent and null members and an empty list of secrets are as in the revision before. `message` is Runyard's own: what
 * this revision is about.
 */
export const RevisionCreateRequestSchema = z
  .object({
    revision_source: RevisionSource,
    source_config: nullishOf(SourceConfigRequestSchema),
    source_revision_config: nullishOf(SourceRevisionConfigRequestSchema),
    secrets: SecretsSchema.nullish(),
    secret_references: z.array(SecretReferenceSchema).max(200).nullish(),
    message: Message,
  })
  .openapi('RevisionCreateRequest')

export type RevisionCreateRequest = z.infer<typeof RevisionCreateRequestSchema>

/** `revision_id`: the revision to go back to; by default the one that served before. */
export const RollbackRequestSchema = z
  .object({ revision_id: Uuid.nullish() })
  .openapi('RollbackRequest')

/** `offset` is the one to ask for next. An empty page is the end. */
export const RevisionsListSchema = z
  .object({ resources: z.array(RevisionSchema), offset: z.int() })
  .openapi('RevisionsList')

export const RevisionPathSchema = z.object({ deployment_id: Uuid, revision_id: Uuid })

/**
 * `status`: revision statuses, separated by commas. `remote_reconciled` filters nothing: Runyard itself
 * reconciles every revision.
 */
export const RevisionsQuerySchema = z.object({
  limit: Limit,
  offset: Offset,
  status: listOf(REVISION_STATUSES).openapi({ example: 'DEPLOYING,DEPLOYED' }),
  remote_reconciled: BooleanText,
})
