/** A real server sends its traces, metrics and logs to a collector, and its graphs' to a LangSmith, both on loopback. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { ControlPlaneClient } from '../../client/src/client.ts'
import { deployFolder } from '../../src/cli/deploy/deploy-folder.ts'
import { startReceiver, type WebhookReceiver } from '../support/agent/webhook-receiver.ts'
import { startRunyard } from '../support/processes/runyard.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = resolve(import.meta.dirname, '../..')

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
  service: string | undefined
}

const spans: Span[] = []
const metricsSent: Export[] = []
const logsSent: Export[] = []
const folder = temporaryFolder()
let collector: Server
let langSmith: Server
const langSmithRuns: LangSmithRun[] = []
let receiver: WebhookReceiver
let serving: ServeProcess

beforeAll(async () => {
  receiver = await startReceiver()
  collector = await listening(async (request) => {
    const sent = (await json(request)) as Export
    if (request.url === '/v1/metrics') metricsSent.push(sent)
    else if (request.url === '/v1/logs') logsSent.push(sent)
    else spans.push(...spansOf(sent))
    return {}
  })
  langSmith = await listening(async (request) => {
    if (request.url === '/info') return { batch_ingest_config: { use_multipart_endpoint: false } }
    const { post = [], patch = [] } = (await json(request)) as Record<string, LangSmithRun[]>
    langSmithRuns.push(...post, ...patch)
    return {}
  })
  const args = ['serve', '--port', '0', '--data-dir', folder]
  serving = await startServeProcess(join(root, 'bin/runyard'), args, {
    cwd: join(root, 'test/fixtures/projects/webhooks'),
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: urlOf(collector),
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_SERVICE_NAME: 'my-agents',
      LANGSMITH_TRACING: 'true',
      LANGSMITH_ENDPOINT: urlOf(langSmith),
      LANGSMITH_API_KEY: 'lsv2_pt_0123456789abcdef',
      LANGSMITH_PROJECT: 'usual',
      RUNYARD_WEBHOOK_ALLOW: 'loopback',
      LG_WEBHOOK_TOKEN: 'x',
    },
  })
})
afterAll(async () => {
  await receiver.close()
  for (const one of [collector, langSmith]) {
    one.closeAllConnections()
    one.close()
  }
})

const JSON_TYPE = { 'content-type': 'application/json' }

it('tells LangSmith of a run, and of one that names a project there too', async () => {
  const info = (await (await fetch(`${serving.url}/info`)).json()) as { flags: object }
  expect(info.flags).toMatchObject({ langsmith: true })
  const run = async (more: object): Promise<string | undefined> => {
    const body = JSON.stringify({ assistant_id: 'steps', input: {}, ...more })
    const response = await fetch(`${serving.url}/runs/wait`, {
      method: 'POST',
      headers: JSON_TYPE,
      body,
    })
    expect(await response.json()).toEqual({ trail: ['a', 'b', 'c'] })
    return response.headers.get('content-location')?.split('/').at(-1)
  }
  const projectsOf = (run_id: string | undefined) =>
    langSmithRuns.flatMap((one) =>
      one.extra?.metadata?.run_id === run_id && !one.parent_run_id ? [one.session_name] : [],
    )
  const usual = await run({})
  await expect.poll(() => projectsOf(usual)).toContain('usual')
  const named = await run({ langsmith_tracer: { project_name: 'evals' } })
  await expect.poll(() => projectsOf(named)).toContain('evals')
  await expect.poll(() => projectsOf(named)).toContain('usual')
  expect(projectsOf(usual)).not.toContain('evals')
})

interface LangSmithRun {
  id: string
  parent_run_id?: string
  session_name?: string
  extra?: { metadata?: Record<string, unknown> }
}

it('has one trace from the gateway through the queue to the node, and one of the rollout', async () => {
  // It runs in this process, and OpenTelemetry reads the environment by itself.
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', urlOf(collector))
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json')
  const runyard = await startRunyard()
  const traceId = '1bf7651916cd43dd8448eb211c80319c'
  try {
    const client = new ControlPlaneClient({ url: runyard.url, apiKey: runyard.adminKey })
    const folder = join(root, 'test/fixtures/projects/echo')
    const { signal } = new AbortController()
    await deployFolder(client, { folder, name: 'traced', secrets: [], signal })
    const answer = await fetch(`${runyard.url}/agents/traced/runs/wait`, {
      method: 'POST',
      headers: {
        ...JSON_TYPE,
        'x-api-key': runyard.adminKey,
        traceparent: `00-${traceId}-c7ad6b7169203331-01`,
      },
      body: JSON.stringify({ assistant_id: 'agent', input: { messages: ['hello'] } }),
    })
    expect(answer.status).toBe(200)
  } finally {
    await runyard.stop()
    vi.unstubAllEnvs()
  }
  const named = (name: string | RegExp, of: Span[]) =>
    of.find((span) => (typeof name === 'string' ? span.name === name : name.test(span.name)))
  const ours = spans.filter((span) => span.traceId === traceId)
  const gateway = named('POST /agents/traced', ours)
  expect(gateway).toMatchObject({ parentSpanId: 'c7ad6b7169203331', service: 'runyard' })
  const request = named('POST /runs/wait', ours)
  expect(request).toMatchObject({ parentSpanId: gateway?.spanId, service: 'traced' })
  const run = named('run agent', ours)
  for (const span of [run, named('queue', ours)]) {
    expect(span).toMatchObject({ parentSpanId: request?.spanId })
  }
  expect(named(/^node /, ours)).toMatchObject({ parentSpanId: run?.spanId, service: 'traced' })

  const rollout = named('rollout traced', spans)
  const states = spans.filter(({ parentSpanId }) => parentSpanId === rollout?.spanId)
  expect(states.map(({ name }) => name)).toEqual(expect.arrayContaining(['BUILDING', 'DEPLOYING']))
  expect(rollout?.attributes).toContainEqual({
    key: 'runyard.status',
    value: { stringValue: 'DEPLOYED' },
  })
})

it('has a span for the request, below it one for the run, below that one for the webhook', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const body = { assistant_id: 'steps', input: {}, webhook: receiver.url }
  const response = await fetch(`${serving.url}/runs/wait`, {
    method: 'POST',
    headers: { ...JSON_TYPE, traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    body: JSON.stringify(body),
  })
  expect(await response.json()).toEqual({ trail: ['a', 'b', 'c'] })
  await receiver.count(1)
  // What is left is sent at the end.
  expect(await serving.stop()).toBe(0)

  const ours = spans.filter((span) => span.traceId === traceId)
  const [request, run, webhook] = ['POST /runs/wait', 'run steps', 'webhook'].map((name) =>
    ours.find((span) => span.name === name),
  )
  expect(request).toMatchObject({ parentSpanId: 'b7ad6b7169203331', service: 'my-agents' })
  expect(run?.parentSpanId).toBe(request?.spanId)
  expect(webhook?.parentSpanId).toBe(run?.spanId)
  const runId = response.headers.get('content-location')?.split('/').at(-1)
  for (const span of [run, webhook]) {
    expect(span?.attributes).toContainEqual({ key: 'run_id', value: { stringValue: runId } })
  }

  const lines = ofService(logsSent.flatMap(({ resourceLogs = [] }) => resourceLogs)).flatMap(
    ({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords),
  )
  const ended = lines.find(
    ({ traceId: id, body }) => id === traceId && body.stringValue === 'a run has ended',
  )
  expect(ended).toMatchObject({ severityText: 'INFO', severityNumber: 9 })
  expect(ended?.attributes).toContainEqual({ key: 'run_id', value: { stringValue: runId } })
})

it('has sent the metrics of /metrics when it has ended', () => {
  const found = ofService(metricsSent.flatMap(({ resourceMetrics = [] }) => resourceMetrics))
  const sent = found.map(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  const last = sent.findLast((metrics) => metrics.length > 0) ?? []
  const metric = (name: string) => last.find((one) => one.name === name)
  const ofRequest = [
    { key: 'method', value: { stringValue: 'POST' } },
    { key: 'route', value: { stringValue: '/runs/wait' } },
    { key: 'status', value: { intValue: 200 } },
  ]
  const { dataPoints = [], ...sum } = metric('runyard_http_requests_total')?.sum ?? {}
  expect(sum).toEqual({ aggregationTemporality: 2, isMonotonic: true })
  const requests = dataPoints.find(({ attributes }) => isSame(attributes, ofRequest))
  expect(requests?.asDouble).toBeGreaterThanOrEqual(3)
  const [duration] = metric('runyard_run_duration_seconds')?.histogram?.dataPoints ?? []
  expect(duration?.count).toBeGreaterThanOrEqual(3)
  const { bucketCounts = [], explicitBounds = [] } = duration ?? {}
  expect(bucketCounts).toHaveLength(explicitBounds.length + 1)
  expect(bucketCounts.reduce((all, one) => all + one, 0)).toBe(duration?.count)
  expect(metric('runyard_database_bytes')?.gauge?.dataPoints[0]?.asDouble).toBeGreaterThan(0)
})

it('ends within seconds where a collector takes everything and answers nothing', async () => {
  const deaf = createServer(() => {})
  deaf.listen(0, '127.0.0.1')
  await once(deaf, 'listening')
  const dataDir = temporaryFolder()
  const server = await startServeProcess(
    join(root, 'bin/runyard'),
    ['serve', '--port', '0', '--data-dir', dataDir],
    {
      cwd: join(root, 'test/fixtures/projects/webhooks'),
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: urlOf(deaf), LG_WEBHOOK_TOKEN: 'x' },
    },
  )
  await fetch(`${server.url}/runs/wait`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ assistant_id: 'steps', input: {} }),
  })
  const begun = performance.now()
  expect(await server.stop()).toBe(0)
  // The exporters by themselves would wait for more than 18 seconds.
  expect(performance.now() - begun).toBeLessThan(13_000)
  deaf.closeAllConnections()
  deaf.close()
})

async function listening(answer: (request: IncomingMessage) => Promise<object>): Promise<Server> {
  const server = createServer(async (request, response) => {
    const body = JSON.stringify(await answer(request))
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface OfResource {
  resource: { attributes: Span['attributes'] }
}

/** What the three kinds of requests hold, as OTLP has it in JSON. */
interface Export {
  resourceSpans?: (OfResource & { scopeSpans: { spans: Span[] }[] })[]
  resourceMetrics?: (OfResource & { scopeMetrics: { metrics: Metric[] }[] })[]
  resourceLogs?: (OfResource & { scopeLogs: { logRecords: LogRecord[] }[] })[]
}

interface Metric {
  name: string
  sum?: { dataPoints: { attributes: Span['attributes']; asDouble: number }[] }
  gauge?: { dataPoints: { asDouble: number }[] }
  histogram?: {
    dataPoints: { count: number; bucketCounts: number[]; explicitBounds: number[] }[]
  }
}

interface LogRecord {
  traceId?: string
  body: { stringValue: string }
  severityText: string
  severityNumber: number
  attributes: Span['attributes']
}

function ofService<T extends OfResource>(all: T[]): T[] {
  const service = { key: 'service.name', value: { stringValue: 'my-agents' } }
  return all.filter(({ resource }) => resource.attributes.some((one) => isSame(one, service)))
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function spansOf({ resourceSpans = [] }: Export): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const named = resource.attributes.find(({ key }) => key === 'service.name')
    const service = named?.value.stringValue
    return scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service })))
  })
}
