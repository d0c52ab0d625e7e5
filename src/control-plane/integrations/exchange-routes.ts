/** `/internal/listener`: requests of listeners, each with a key of its own. */
import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { timestamp } from '../../core/clock.ts'
import { HEARD_STEP_MS, isListenerKey, type Listener } from '../../core/deployment/listener.ts'
import type { ListenerOrders, ListenerReport } from '../../core/deployment/listener-protocol.ts'
import type { RuntimeState } from '../../core/deployment/runtime.ts'
import { AppError } from '../../core/errors.ts'
import { PRINCIPAL_KINDS, type Principal, ROLES } from '../../core/people/api-key.ts'
import { keyIn } from '../../core/people/sent-key.ts'
import { createRoutes } from '../../http/app.ts'
import { hashKey } from '../../http/keys.ts'
import { requireUtf8 } from '../../http/request-body.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { body, json, limitBody, operationsForAnyKey } from '../operations/route.ts'

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
    kind: z.enum(PRINCIPAL_KINDS),
    workspace_id: z.string(),
    role: z.enum(ROLES),
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

type Parts = Pick<ControlPlaneParts, 'store' | 'clock' | 'authenticate' | 'exchange'>

export function exchangeRoutes(parts: Parts): OpenAPIHono<ListenerEnv> {
  const routes = createRoutes<ListenerEnv>()
  routes.use('/internal/listener/*', async (c, next) => {
    c.set('listener', await requireListenerKey(parts, c.req.raw.headers))
    await next()
  })
  routes.openapi(exchange, async (c) => {
    // Its types are looser than those that the rest of Runyard knows.
    const report = c.req.valid('json') as ListenerReport
    return c.json(await exchangeWith(parts, c.var.listener, report, c.req.raw.signal), 200)
  })
  routes.openapi(caller, async (c) => {
    const { headers } = c.req.valid('json')
    return c.json(await callerOf(parts, c.var.listener, headers), 200)
  })
  return routes
}

/** Throws `unauthenticated` without the key of a listener. */
async function requireListenerKey({ store }: Parts, headers: Headers): Promise<Listener> {
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
async function exchangeWith(
  { store, clock, exchange }: Parts,
  listener: Listener,
  report: ListenerReport,
  signal: AbortSignal,
): Promise<ListenerOrders> {
  const { last_heard_at } = listener
  const age = last_heard_at === null ? Infinity : clock.now() - Date.parse(last_heard_at)
  // Another control plane's clock may be ahead.
  if (Math.abs(age) >= HEARD_STEP_MS) await store.listeners.noteHeard(listener.id, timestamp(clock))
  if (report.url !== listener.url || report.runyard !== listener.version) {
    await store.listeners.update(listener.id, {
      ...(report.url !== null && { url: report.url }),
      version: report.runyard,
      updated_at: timestamp(clock),
    })
  }
  return exchange(listener, report, signal)
}

/**
 * The owner of the key or token. Throws `unauthenticated` as the gateway does, and `forbidden` for an owner in another
 * workspace than the listener's.
 */
async function callerOf(
  { authenticate }: Parts,
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
