/** The operations of generative UI: a page asks for a component, then loads its files. */

import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { body, createRoutes, openOperationsOf, operationsOf } from '../operations/route.ts'
import type { Parts } from '../parts.ts'
import { componentHtml, readUiFile, type UiAddress } from './components.ts'

const operation = operationsOf('Generative UI')
const openOperation = openOperationsOf('Generative UI')

const component = operation('post', '/ui/{graph_id}', {
  id: 'get_ui_component',
  summary: 'HTML that loads a component of the graph',
  request: {
    params: z.object({ graph_id: z.string() }),
    body: body(z.object({ name: z.string() })),
  },
  answers: { 200: { description: 'HTML', content: { 'text/html': { schema: z.string() } } } },
  refusals: [404],
})

const file = openOperation('get', '/ui/{graph_id}/{file}', {
  id: 'get_ui_file',
  summary: 'A file of the bundle that holds the components of the graph',
  request: { params: z.object({ graph_id: z.string(), file: z.string() }) },
  answers: {
    200: {
      description: 'The file',
      content: { 'text/javascript': { schema: z.string() }, 'text/css': { schema: z.string() } },
    },
  },
  refusals: [404],
})

/** `mountPrefix`: the prefix of every path of this server. */
export function uiRoutes(parts: Pick<Parts, 'ui'>, mountPrefix: string) {
  const routes = createRoutes()
  routes.openapi(component, (c) => {
    const { graph_id } = c.req.valid('param')
    const { name } = c.req.valid('json')
    const address = addressOf(c, mountPrefix)
    return c.html(componentHtml(parts, graph_id, { name, address }), 200)
  })
  routes.openapi(file, (c) => {
    const { graph_id, file: name } = c.req.valid('param')
    const { contents, type } = readUiFile(parts, graph_id, name)
    const headers = { 'content-type': type, 'cache-control': 'no-cache' }
    return c.body(contents, 200, headers) as never
  })
  return routes
}

function addressOf({ req }: Context, mountPrefix: string): UiAddress {
  const host = req.header('x-forwarded-host')?.split(',')[0]?.trim() || req.header('host')
  return { host, prefix: `${req.header('x-forwarded-prefix') ?? ''}${mountPrefix}` }
}
