/** Listeners on the wire. */
import { z } from '@hono/zod-openapi'
import { LISTENER_STATES } from '../../core/deployment/listener.ts'
import { line, nullishOf, Uuid } from '../operations/text.ts'

const ComputeConfigRequestSchema = z.object({
  k8s_namespaces: z.array(line(256)).max(1000).nullish(),
})

export const ListenerCreateRequestSchema = z
  .object({
    compute_type: z.literal('k8s'),
    compute_id: line(256).min(1),
    compute_config: ComputeConfigRequestSchema,
    version: line(256).nullish(),
  })
  .openapi('ListenerCreateRequest')

export type ListenerCreateRequest = z.infer<typeof ListenerCreateRequestSchema>

/** Absent and null members change nothing. */
export const ListenerPatchRequestSchema = z
  .object({
    version: line(256).nullish(),
    compute_config: nullishOf(ComputeConfigRequestSchema),
  })
  .openapi('ListenerPatchRequest')

export type ListenerPatchRequest = z.infer<typeof ListenerPatchRequestSchema>

export const ListenerSchema = z
  .object({
    id: z.uuid(),
    compute_type: z.literal('k8s'),
    compute_id: z.string(),
    compute_config: z.object({ k8s_namespaces: z.array(z.string()).nullable() }),
    version: z.string().nullable(),
    /** The URL of its gateway, once it has reported one. */
    url: z.string().nullable(),
    /** The time of its last exchange, to within a few seconds; while it runs that is never 45 s ago. */
    last_heard_at: z.iso.datetime().nullable(),
    /** `unheard`: it has never been started. `away`: it was not heard from for 45 s. */
    state: z.enum(LISTENER_STATES),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi('Listener')

/** The key is shown this once. */
export const ListenerCreatedSchema = ListenerSchema.extend({ key: z.string() }).openapi(
  'ListenerCreated',
)

/** The key is shown this once. */
export const ListenerKeySchema = z.object({ key: z.string() }).openapi('ListenerKey')

export type ListenerAnswer = z.infer<typeof ListenerSchema>

/** `offset` is the one to ask for next. An empty page is the end. */
export const ListenersListSchema = z
  .object({ resources: z.array(ListenerSchema), offset: z.int() })
  .openapi('ListenersList')

export const ListenerPathSchema = z.object({ listener_id: Uuid })
