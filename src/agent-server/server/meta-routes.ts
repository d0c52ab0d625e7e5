/** `/ok` and `/info`, which need no key, and `/metrics`, which needs one. */

import { z } from '@hono/zod-openapi'
import type { GraphRuntime } from '../../core/agent/host/graph-host.ts'
import { METRICS_FORMATS } from '../../core/agent/server/metrics.ts'
import { AppError } from '../../core/errors.ts'
import type { AppConfig, Parts } from '../agent-server-parts.ts'
import { FlagSchema } from '../operations/query.ts'
import { createRoutes, json, openOperationsOf, operationsOf } from '../operations/route.ts'

const HealthSchema = z
  .object({
    ok: z.boolean(),
    services: z.record(z.string(), z.enum(['healthy', 'unhealthy', 'skipped'])).openapi({
      description: '`database`: "skipped" unless `check_db` asks for it.',
    }),
  })
  .openapi('Health')

const operation = operationsOf('System')
const openOperation = openOperationsOf('System')

const HEALTH = {
  request: { query: z.object({ check_db: FlagSchema }) },
  answers: {
    200: json(HealthSchema, 'It does'),
    503: {
      description: 'It does not: `ok` is false, and `detail` says why',
      content: { 'application/json': { schema: HealthSchema.extend({ detail: z.string() }) } },
    },
  },
}

const ok = openOperation('get', '/ok', {
  name: 'health_check',
  summary: 'Whether the server answers, and with `check_db` its database takes writes',
  ...HEALTH,
  refusals: [422],
})

/** For load balancers that check the root. A project's own route may replace it. */
const root = operation('get', '/', {
  id: 'root_health_check_get',
  summary: 'The same as `/ok`; where the server has keys, it asks for one',
  ...HEALTH,
})

const metrics = operation('get', '/metrics', {
  name: 'system_metrics',
  summary: 'Figures about runs, requests, streams, the event loop and the database',
  request: { query: z.object({ format: z.enum(METRICS_FORMATS).default('prometheus') }) },
  answers: {
    200: {
      description: 'For Prometheus, or with `format=json` the same as JSON',
      content: {
        'text/plain': { schema: z.string() },
        'application/json': { schema: z.record(z.string(), z.unknown()) },
      },
    },
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
    host: z
      .object({
        kind: z.literal('self-hosted'),
        project_id: z.string().nullable(),
        host_revision_id: z.string().nullable(),
        revision_id: z.string().nullable(),
        tenant_id: z.string().nullable(),
      })
      .openapi({
        description:
          'Of which deployment (`project_id`) and revision the server is; null: of none.',
      }),
  })
  .openapi('Info')

const info = openOperation('get', '/info', {
  name: 'server_info',
  summary: 'The version, and which parts of the API are there',
  answers: { 200: json(InfoSchema, 'Info') },
})

const FLAGS = {
  assistants: true,
  crons: true,
  langsmith_tracing_replicas: true,
  langsmith_tracing_session_on_runs: true,
  stream_namespaces: true,
  strict_resume: true,
}

export function metaRoutes(parts: Parts, { version, http }: Pick<AppConfig, 'version' | 'http'>) {
  const routes = createRoutes()
  for (const route of [ok, root]) {
    routes.openapi(route, async (c) => {
      const isChecked = c.req.valid('query').check_db
      const detail = await problemOfDatabase(parts, isChecked)
      if (detail === undefined) {
        return c.json({ ok: true, services: { database: isChecked ? 'healthy' : 'skipped' } }, 200)
      }
      return c.json({ ok: false, services: { database: 'unhealthy' }, detail }, 503)
    })
  }
  return routes
    .openapi(metrics, async (c) => {
      const { contentType, body } = await parts.metrics.read(c.req.valid('query').format)
      return c.body(body, 200, { 'content-type': contentType }) as never
    })
    .openapi(info, (c) => {
      const { host, langSmithProject, deploymentId, revisionId } = parts
      const flags = {
        ...FLAGS,
        langsmith: langSmithProject !== undefined,
        mcp: !http?.disabled.has('mcp'),
      }
      const place = {
        kind: 'self-hosted' as const,
        project_id: deploymentId ?? null,
        host_revision_id: revisionId ?? null,
        revision_id: null,
        tenant_id: null,
      }
      const runtimes = describeRuntimes(host.runtimes)
      return c.json({ version, ...runtimes, flags, metadata: {}, host: place }, 200)
    })
}

/** The same fields as the official server of each language. */
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

/**
 * Why the database is unusable now; `undefined`: it works, or was not checked. A removed database file is always
 * detected: nothing else would notice it before the next start.
 */
async function problemOfDatabase(
  { store }: Parts,
  isChecked: boolean,
): Promise<string | undefined> {
  try {
    if (store.isGone()) await store.ping()
    if (isChecked) await store.checkWrites()
    return undefined
  } catch (cause) {
    if (cause instanceof AppError && cause.code === 'unavailable') return cause.message
    return 'The database takes no writes.'
  }
}
