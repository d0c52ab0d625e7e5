/** `/ok` and `/info`: what the server says of itself, without a key. */
import { createRoute, z } from '@hono/zod-openapi'
import { AppError } from '../../core/errors.ts'
import { createRoutes } from '../../http/app.ts'
import type { AgentServerEnv } from '../caller.ts'
import type { Parts } from '../parts.ts'
import { FlagSchema } from '../schemas/query.ts'

const ok = createRoute({
  method: 'get',
  path: '/ok',
  operationId: 'health_check_ok_get',
  tags: ['System'],
  security: [],
  summary: 'Whether the server answers, and with `check_db` its database too',
  request: { query: z.object({ check_db: FlagSchema }) },
  responses: {
    200: {
      description: 'It does',
      content: { 'application/json': { schema: z.object({ ok: z.literal(true) }) } },
    },
  },
})

const InfoSchema = z
  .object({
    version: z.string(),
    context: z.literal('js'),
    flags: z.record(z.string(), z.boolean()),
    metadata: z.record(z.string(), z.string()),
  })
  .openapi('Info')

const info = createRoute({
  method: 'get',
  path: '/info',
  operationId: 'server_info_info_get',
  tags: ['System'],
  security: [],
  summary: 'The version, and which parts of the API are there',
  responses: {
    200: { description: 'Info', content: { 'application/json': { schema: InfoSchema } } },
  },
})

export function metaRoutes(parts: Parts, version: string) {
  return createRoutes<AgentServerEnv>()
    .openapi(ok, async (c) => {
      if (c.req.valid('query').check_db) await pingDatabase(parts)
      return c.json({ ok: true as const }, 200)
    })
    .openapi(info, (c) => {
      const flags = { assistants: true, crons: false, langsmith: false }
      return c.json({ version, context: 'js' as const, flags, metadata: {} }, 200)
    })
}

async function pingDatabase(parts: Parts): Promise<void> {
  try {
    await parts.store.ping()
  } catch (cause) {
    throw new AppError('unavailable', 'The database does not answer.', { cause })
  }
}
