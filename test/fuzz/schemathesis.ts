/** Schemathesis, which asks a server whatever its OpenAPI document lets it think of. */
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { run } from '../support/processes/program.ts'

/** One answer that is not what the document promises. */
export interface Finding {
  /** `GET /threads/{thread_id}`. */
  operation: string
  /** Of schemathesis, such as `negative_data_rejection`; `error` where there was no answer. */
  check: string
  message: string
  /** `GET /threads?x=1`, with the body. Empty where there was no answer. */
  request: string
  /** The status and the body. Empty where there was none. */
  answer: string
}

interface Target {
  url: string
  key: string
  /** Paths of the document that are not asked. */
  exceptPaths: string[]
  seed: number
  /** When it stops thinking of more. */
  limitSeconds: number
  /** Where it writes what it did. */
  folder: string
}

/** Runs it against a server. Rejects when it does not get to its end. */
export async function schemathesis(python: string, target: Target): Promise<Finding[]> {
  const report = join(target.folder, 'schemathesis.ndjson')
  const paths = target.exceptPaths.flatMap((path) => ['--exclude-path', path])
  const [timeout, workers, examples] = ['10', '2', '20']
  const args = [
    '-m',
    'schemathesis.cli',
    'run',
    `${target.url}/openapi.json`,
    '--header',
    `X-Api-Key: ${target.key}`,
  ]
    .concat('--seed', `${target.seed >>> 0}`, '--max-time', `${target.limitSeconds}`)
    .concat('--phases', 'examples,coverage,fuzzing', '--max-examples', examples)
    .concat('--workers', workers, '--request-timeout', timeout, '--continue-on-failure')
    .concat('--no-shrink', '--report', 'ndjson', '--report-ndjson-path', report, ...paths)
  // It ends with 1 where it has found something: that is for the report to say.
  const timeoutMs = (target.limitSeconds + 60) * 1_000
  await run(python, args, { timeoutMs, cwd: target.folder }).catch((error) => {
    if (error.code !== 1) throw error
  })
  return readFindings(createInterface({ input: createReadStream(report) }))
}

/** Reads a report, one event a line. Each kind of finding of an operation counts once. */
export async function readFindings(lines: AsyncIterable<string>): Promise<Finding[]> {
  const findings = new Map<string, Finding>()
  for await (const line of lines) {
    if (!/"status":"(failure|error)"|^\{"NonFatalError"/.test(line)) continue
    for (const one of findingsIn(JSON.parse(line))) {
      const { operation, check, message } = one
      const key = JSON.stringify([operation, check, message, one.answer.slice(0, 200)])
      if (!findings.has(key)) findings.set(key, one)
    }
  }
  return [...findings.values()]
}

interface Event {
  ScenarioFinished?: { recorder: Recorder }
  NonFatalError?: { label?: string; value?: unknown }
}

interface Recorder {
  label: string
  /** Absent where nothing was asked. */
  checks?: Record<string, Check[]>
  interactions: Record<string, Interaction>
}

interface Check {
  name: string
  status: string
  failure_info?: { failure: { message: string } }
}

interface Interaction {
  request: { method: string; uri: string; body?: Bytes | null }
  response?: { status_code: number; content?: Bytes | null } | null
}

interface Bytes {
  $base64: string
}

function findingsIn({ ScenarioFinished, NonFatalError }: Event): Finding[] {
  if (NonFatalError) {
    const { label = 'unknown', value } = NonFatalError
    const message = JSON.stringify(value ?? NonFatalError)
    return [{ operation: label, check: 'error', message, request: '', answer: '' }]
  }
  if (!ScenarioFinished) return []
  const { label, checks = {}, interactions } = ScenarioFinished.recorder
  return Object.entries(checks).flatMap(([id, all]) =>
    all
      .filter(({ status }) => status === 'failure')
      .map(({ name, failure_info }) => ({
        operation: label,
        check: name,
        message: failure_info?.failure.message ?? '',
        ...told(interactions[id]),
      })),
  )
}

function told(interaction: Interaction | undefined): Pick<Finding, 'request' | 'answer'> {
  if (!interaction) return { request: '', answer: '' }
  const { request, response } = interaction
  const answer = response ? `${response.status_code} ${textOf(response.content)}` : ''
  return { request: `${request.method} ${request.uri} ${textOf(request.body)}`, answer }
}

function textOf(bytes: Bytes | null | undefined): string {
  return Buffer.from(bytes?.$base64 ?? '', 'base64').toString()
}
