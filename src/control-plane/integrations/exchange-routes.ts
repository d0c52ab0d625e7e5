/** `/internal/listener`: what listeners ask, each with a key of its own. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import type { Listener } from '../../core/deployment/listener.ts'
import { createRoutes } from '../../http/app.ts'
import { requireUtf8 } from '../../http/body-text.ts'
import { limitBody } from '../operations/request-body.ts'
import { body, json, refusals, SECURITY } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { callerOf, exchangeWith, requireListenerKey } from './exchange.ts'
import {
  CallerRequestSchema,
  CallerSchema,
  ListenerOrdersSchema,
  ListenerReportSchema,
  reportOf,
} from './exchange-schemas.ts'

/** Who asks, set by the key check before the body is read. */
interface ListenerEnv {
  Variables: { listener: Listener }
}

const common = {
  tags: ['Listeners (v2)'],
  // With a listener’s key, which is good for these two alone.
  security: SECURITY,
  middleware: [limitBody, requireUtf8],
}

const exchange = createRoute({
  method: 'post',
  path: '/internal/listener/exchange',
  operationId: 'exchange_internal_listener_exchange_post',
  summary: 'Report as a listener, and wait for orders',
  ...common,
  request: { body: body(ListenerReportSchema) },
  responses: {
    200: json(
      ListenerOrdersSchema,
      'All that the listener is to do, at once or within half a minute.',
    ),
    ...refusals(401, 409, 413, 422, 503),
  },
})

const caller = createRoute({
  method: 'post',
  path: '/internal/listener/caller',
  operationId: 'caller_internal_listener_caller_post',
  summary: 'Ask as a listener whose a key is',
  ...common,
  request: { body: body(CallerRequestSchema) },
  responses: {
    200: json(CallerSchema, 'Whose it is.'),
    ...refusals(401, 403, 413, 422),
  },
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
