/** `/ok` and `/info`, what the server says of itself without a key, and `/metrics`, with one. */
import { createRoute, z } from '@hono/zod-openapi'
import type { GraphRuntime } from '../../core/agent/host/graph-host.ts'
import { METRICS_FORMATS } from '../../core/agent/server/metrics.ts'
import { AppError } from '../../core/errors.ts'
import { createRoutes } from '../../http/app.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { FlagSchema } from '../operations/query.ts'
import { refusals } from '../operations/refusals.ts'
import type { Parts } from '../parts.ts'

const ok = createRoute({
  method: 'get',
  path: '/ok',
  operationId: 'health_check_ok_get',
  tags: ['System'],
  security: [],
  summary: 'Whether the server answers, and with `check_db` its database takes writes',
  request: { query: z.object({ check_db: FlagSchema }) },
  responses: {
    200: {
      description: 'It does',
      content: { 'application/json': { schema: z.object({ ok: z.literal(true) }) } },
    },
    ...refusals(422),
  },
})

const metrics = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'system_metrics_metrics_get',
  tags: ['System'],
  summary: 'Figures about runs, requests, streams, the event loop and the database',
  request: { query: z.object({ format: z.enum(METRICS_FORMATS).default('prometheus') }) },
  responses: {
    200: {
      description: 'For Prometheus, or with `format=json` the same as JSON',
      content: {
        'text/plain': { schema: z.string() },
        'application/json': { schema: z.record(z.string(), z.unknown()) },
      },
    },
    ...refusals(422),
  },
})

const InfoSchema = z
  .object({
    version: z.string(),
    langgraph_js_version: z
      .string()
      .optional()
      .openapi({ description: "The project's own LangGraph, where it has graphs in JavaScript." }),
    langgraph_py_version: z
      .string()
      .optional()
      .openapi({ description: "The project's own LangGraph, where it has graphs in Python." }),
    context: z
      .literal('js')
      .optional()
      .openapi({ description: 'Absent where the first of its graphs is in Python.' }),
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

const FLAGS = {
  assistants: true,
  crons: true,
  langsmith_tracing_replicas: true,
  strict_resume: true,
}

export function metaRoutes(
  parts: Pick<Parts, 'store' | 'host' | 'metrics' | 'isLangSmithUsed'>,
  version: string,
) {
  return createRoutes<AgentServerEnv>()
    .openapi(ok, async (c) => {
      await requireDatabase(parts, c.req.valid('query').check_db)
      return c.json({ ok: true as const }, 200)
    })
    .openapi(metrics, async (c) => {
      const { contentType, body } = await parts.metrics.read(c.req.valid('query').format)
      return c.body(body, 200, { 'content-type': contentType }) as never
    })
    .openapi(info, (c) => {
      const flags = { ...FLAGS, langsmith: parts.isLangSmithUsed }
      const { runtimes } = parts.host
      return c.json({ version, ...describeRuntimes(runtimes), flags, metadata: {} }, 200)
    })
}

/** As the official servers of each language do. */
function describeRuntimes(runtimes: readonly GraphRuntime[]) {
  const versionOf = (language: GraphRuntime['language']) =>
    runtimes.find((one) => one.language === language)?.langgraphVersion
  const [js, python] = [versionOf('js'), versionOf('python')]
  return {
    ...(js !== undefined && { langgraph_js_version: js }),
    ...(python !== undefined && { langgraph_py_version: python }),
    ...(runtimes[0]?.language === 'js' && { context: 'js' as const }),
  }
}

/** A file that was removed is told of in any case: nobody else would find out before the next start. */
async function requireDatabase({ store }: Pick<Parts, 'store'>, isChecked: boolean): Promise<void> {
  try {
    if (store.isGone()) await store.ping()
    if (isChecked) await store.checkWrites()
  } catch (cause) {
    if (cause instanceof AppError && cause.code === 'unavailable') throw cause
    throw new AppError('unavailable', 'The database takes no writes.', { cause })
  }
}
