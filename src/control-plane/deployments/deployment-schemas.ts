/** Deployments on the wire: requests and answers. */
import { z } from '@hono/zod-openapi'
import { DEPLOYMENT_NAME, DEPLOYMENT_STATUSES } from '../../core/deployment/deployment.ts'
import { SOURCES } from '../../core/deployment/sources/table.ts'
import {
  BooleanText,
  Limit,
  line,
  listOf,
  Message,
  nullishOf,
  Offset,
  UUID_PATTERN,
  Uuid,
} from '../operations/text.ts'
import {
  RevisionSource,
  SourceConfigRequestSchema,
  SourceConfigSchema,
  SourceRevisionConfigRequestSchema,
  SourceRevisionConfigSchema,
} from '../sources/source-schemas.ts'
import { SecretReferenceSchema, SecretsSchema } from './secret-schema.ts'

const NAME_RULE =
  'Expected 1 to 63 lower-case letters, digits, "-" and "_", with a letter or digit at both ends'

/** `is_public` is Runyard's own, default false: the deployment is called without a key. */
export const DeploymentCreateRequestSchema = z
  .object({
    name: z.string().regex(DEPLOYMENT_NAME, NAME_RULE),
    source: z.enum(SOURCES),
    source_config: SourceConfigRequestSchema,
    source_revision_config: SourceRevisionConfigRequestSchema,
    secrets: SecretsSchema,
    secret_references: z.array(SecretReferenceSchema).max(200).nullish(),
    is_public: z.boolean().nullish(),
  })
  .openapi('DeploymentCreateRequest')

export type DeploymentCreateRequest = z.infer<typeof DeploymentCreateRequestSchema>

/**
 * Absent and null members and an empty list of secrets change nothing; an empty `display_name` removes it.
 * `removed_secrets` is Runyard's own: the names of secrets to remove, also the last one; with `secrets`, they are
 * removed from that list. `is_public` is Runyard's own too: callers need no key. So is `message`: what the revision is
 * about that this change makes. `name` and `source` may be sent back unchanged; another value is refused (400).
 */
export const DeploymentPatchRequestSchema = z
  .object({
    name: line(1024).nullish(),
    source: line(1024).nullish(),
    display_name: line(200).nullish(),
    revision_source: RevisionSource,
    source_config: nullishOf(SourceConfigRequestSchema),
    source_revision_config: nullishOf(SourceRevisionConfigRequestSchema),
    secrets: SecretsSchema.nullish(),
    removed_secrets: z.array(line(256)).max(200).nullish(),
    secret_references: z.array(SecretReferenceSchema).max(200).nullish(),
    is_public: z.boolean().nullish(),
    message: Message,
  })
  .openapi('DeploymentPatchRequest')

export type DeploymentPatchRequest = z.infer<typeof DeploymentPatchRequestSchema>

/** `source_revision_config` is the latest revision's. `addresses`: every URL of the deployment, `url` first. */
export const DeploymentSchema = z
  .object({
    id: z.uuid(),
    tenant_id: z.uuid(),
    name: z.string(),
    display_name: z.string().nullable(),
    source: z.enum(SOURCES),
    source_config: SourceConfigSchema,
    source_revision_config: SourceRevisionConfigSchema,
    secrets: z.array(z.object({ name: z.string(), value: z.string() })),
    secret_references: z.array(SecretReferenceSchema).nullable(),
    status: z.enum(DEPLOYMENT_STATUSES),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    latest_revision_id: z.uuid().nullable(),
    active_revision_id: z.uuid().nullable(),
    image_version: z.string().nullable(),
    url: z.string(),
    addresses: z.array(z.string()),
    is_managed_deep_agent: z.boolean(),
    is_public: z.boolean(),
  })
  .openapi('Deployment')

export type DeploymentAnswer = z.infer<typeof DeploymentSchema>

/** `offset` is the one to ask for next. An empty page is the end. */
export const DeploymentsListSchema = z
  .object({ resources: z.array(DeploymentSchema), offset: z.int() })
  .openapi('DeploymentsList')

export const DeploymentPathSchema = z.object({ deployment_id: Uuid })

const Text = z.string().max(1024).optional()

const LISTED_IDS = `^(${UUID_PATTERN})?(,(${UUID_PATTERN})?)*$`

/**
 * `name` is the whole name, `name_contains` a part of it; `status` and `deployment_ids` take several,
 * separated by commas. An empty value filters nothing. No deployment has an `image_version`, tags or an
 * agent bound to it, so these filters find none. `remote_reconciled` filters nothing: Runyard itself
 * reconciles every deployment.
 */
export const DeploymentsQuerySchema = z.object({
  limit: Limit,
  offset: Offset,
  name: Text,
  name_contains: Text,
  status: listOf(DEPLOYMENT_STATUSES),
  deployment_type: Text,
  deployment_ids: z
    .string()
    .max(4096)
    .transform((text) => text.split(',').filter((id) => id !== ''))
    .pipe(z.array(Uuid).max(100))
    .optional()
    .openapi({ type: 'string', maxLength: 4096, pattern: LISTED_IDS }),
  image_version: Text,
  tag_value_ids: Text,
  agent_id: Text,
  agent_environment: Text,
  remote_reconciled: BooleanText,
})

export type DeploymentsQuery = z.infer<typeof DeploymentsQuerySchema>

/** `delete_tracing_project` has no effect: Runyard makes no tracing projects. */
export const DeploymentDeleteQuerySchema = z.object({
  delete_tracing_project: BooleanText,
})

/** `deployment_ids=A&deployment_ids=B`, up to 100 of them. */
export const DeploymentsDeleteQuerySchema = z.object({
  deployment_ids: z
    .preprocess((sent) => (typeof sent === 'string' ? [sent] : sent), z.array(Uuid).min(1).max(100))
    .openapi({
      type: 'array',
      items: { type: 'string', format: 'uuid' },
      minItems: 1,
      maxItems: 100,
    }),
})

/** The deleted deployments, and the refused ones with the reason. */
export const BulkDeletionSchema = z
  .object({
    deleted: z.array(z.uuid()),
    failed: z.array(z.object({ id: z.uuid(), detail: z.string() })),
  })
  .openapi('BulkDeletion')

export type BulkDeletion = z.infer<typeof BulkDeletionSchema>

/** The number of deployments of a type that LangGraph Platform calls free. */
export const FreeCountSchema = z.object({ count: z.int() }).openapi('FreeDeploymentsCount')
