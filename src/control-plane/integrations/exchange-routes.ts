/** `/internal/listener`: requests of listeners, each with a key of its own. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Listener } from '../../core/deployment/listener.ts'
import { createRoutes } from '../../http/app.ts'
import { requireUtf8 } from '../../http/body-text.ts'
import { limitBody } from '../operations/request-body.ts'
import { body, json, operationsForAnyKey } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { callerOf, exchangeWith, requireListenerKey } from './exchange.ts'
import {
  CallerRequestSchema,
  CallerSchema,
  ListenerOrdersSchema,
  ListenerReportSchema,
  reportOf,
} from './exchange-schemas.ts'

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
