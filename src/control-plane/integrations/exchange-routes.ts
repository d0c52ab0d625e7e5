/** `/internal/listener`: requests of listeners, each with a key of its own. */
import { type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Listener } from '../../core/deployment/listener.ts'
import type { ListenerOrders, ListenerReport } from '../../core/deployment/listener-protocol.ts'
import type { RuntimeState } from '../../core/deployment/runtime.ts'
import { createRoutes } from '../../http/app.ts'
import { requireUtf8 } from '../../http/body-text.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { limitBody } from '../operations/request-body.ts'
import { body, json, operationsForAnyKey } from '../operations/route.ts'
import { callerOf, exchangeWith, requireListenerKey } from './exchange.ts'

// Reports of listeners (`core/deployment/listener-protocol.ts`), checked where they come in.

const Id = z.uuid()
const Text = z.string().max(65_536)
const Amount = z.number().min(0)

const EndpointSchema = z.looseObject({ url: z.url().max(2048), token: z.literal('') })

const StateSchema: z.ZodType<RuntimeState, RuntimeState> = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('absent') }),
    z.object({ kind: z.literal('starting'), reason: Text.optional() }),
    z.object({ kind: z.literal('healthy'), endpoints: z.array(EndpointSchema).min(1).max(1000) }),
    z.object({ kind: z.literal('restarting'), reason: Text, restarts: Amount }),
    z.object({ kind: z.literal('failed'), reason: Text }),
  ])
  // Zod has no type for a non-empty array.
  .transform((state) => state as RuntimeState)
  .openapi({ type: 'object', description: 'As the runtime driver says.' }) as never

const LoadSchema = z.object({
  running: Amount,
  capacity: Amount,
  waiting: Amount,
  lag_ms: Amount,
  // Not all agent servers send it.
  next_due_at: z.number().nullable().default(null),
})

const ReplicaSchema = z.object({
  state: z.enum(['starting', 'healthy', 'restarting', 'failed']),
  since: Amount,
  restarts: Amount,
  reason: Text.nullable(),
  load: LoadSchema.nullable(),
})

const RevisionSchema = z.object({
  revision_id: Id,
  deployment_id: Id,
  incarnation: z.string().max(64).nullable(),
  states: z
    .array(z.object({ number: Amount, state: StateSchema }))
    .min(1)
    .max(1000),
  replicas: z.array(ReplicaSchema).max(1000),
  done: z.array(z.object({ id: Id, value: z.unknown().optional() })).max(1000),
})

const NameSchema = z.object({
  name: z.string().max(63),
  deployment_id: Id,
  is_wanted: z.boolean(),
  open: Amount,
  last_at: Amount,
})

const ListenerReportSchema = z
  .object({
    session: Id,
    sequence: Amount,
    version: z.string().max(128).nullable(),
    url: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .nullable(),
    runyard: z.string().max(64),
    revisions: z.array(RevisionSchema).max(10_000),
    names: z.array(NameSchema).max(10_000),
    logs: z.array(z.object({ revision_id: Id, text: z.string().max(1_048_576) })).max(10_000),
  })
  .openapi('ListenerReport')

/** The report as the rest of Runyard knows it. */
function reportOf(sent: z.infer<typeof ListenerReportSchema>): ListenerReport {
  return sent as ListenerReport
}

/** For the document: orders are made here, and need no check. */
const ListenerOrdersSchema: z.ZodType<ListenerOrders> = z
  .object({
    version: z.string(),
    revisions: z.array(z.record(z.string(), z.unknown())),
    names: z.array(z.record(z.string(), z.unknown())),
    drain_ms: z.number(),
    k8s_namespaces: z.array(z.string()).nullable(),
  })
  .openapi('ListenerOrders') as never

const CallerRequestSchema = z
  .object({
    headers: z.object({
      'x-api-key': z.string().max(16_384).optional(),
      authorization: z.string().max(16_384).optional(),
      'x-tenant-id': z.string().max(256).optional(),
    }),
  })
  .openapi('ListenerCallerRequest')

const CallerSchema = z
  .object({
    user_id: z.string(),
    name: z.string(),
    kind: z.enum(['api_key', 'user', 'push_webhook']),
    workspace_id: z.string(),
    role: z.enum(['admin', 'developer', 'viewer', 'agent']),
  })
  .openapi('ListenerCaller')

/** The listener that sent the request, set by the key check before the body is read. */
interface ListenerEnv {
  Variables: { listener: Listener }
}

/** The key is the listener's own, and opens these two operations alone. */
const operation = operationsForAnyKey('Listeners (v2)')
const middleware = [limitBody, requireUtf8]

const exchange = operation('post', '/internal/listener/exchange', {
  name: 'exchange',
  summary: 'Report as a listener, and wait for orders',
  request: { body: body(ListenerReportSchema) },
  middleware,
  answers: {
    200: json(
      ListenerOrdersSchema,
      'All that the listener is to do, at once or within half a minute.',
    ),
  },
  refusals: [409, 413, 503],
})

const caller = operation('post', '/internal/listener/caller', {
  name: 'caller',
  summary: 'Ask as a listener whose a key is',
  request: { body: body(CallerRequestSchema) },
  middleware,
  answers: { 200: json(CallerSchema, 'Whose it is.') },
  refusals: [403, 413],
})

export function exchangeRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'clock' | 'authenticate' | 'exchange'>,
): OpenAPIHono<ListenerEnv> {
  const routes = createRoutes<ListenerEnv>()
  routes.use('/internal/listener/*', async (c, next) => {
    c.set('listener', await requireListenerKey(parts, c.req.raw.headers))
    await next()
  })
  routes.openapi(exchange, async (c) => {
    const report = reportOf(c.req.valid('json'))
    return c.json(await exchangeWith(parts, c.var.listener, report, c.req.raw.signal), 200)
  })
  routes.openapi(caller, async (c) => {
    const { headers } = c.req.valid('json')
    return c.json(await callerOf(parts, c.var.listener, headers), 200)
  })
  return routes
}
