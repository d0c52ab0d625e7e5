/** The settings of agent servers. `serve` reads them for itself; `up` passes them to its agent servers. */
import type { ServerRole } from '../core/agent/server/role.ts'
import { type Settings, splitList } from './settings.ts'

/** Reads them all. `up` does too, to report wrong ones at its start. */
export function readAgentServerSettings(settings: Settings) {
  return {
    webhookAllow: settings.ranges('RUNYARD_WEBHOOK_ALLOW'),
    webhookTimeoutMs: settings.number('RUNYARD_WEBHOOK_TIMEOUT_SECS') * 1000,
    maxBodyBytes: settings.number('RUNYARD_MAX_BODY_BYTES'),
    maxPendingRuns: settings.number('RUNYARD_MAX_PENDING_RUNS'),
    maxPendingRunsPerThread: settings.number('RUNYARD_MAX_PENDING_RUNS_PER_THREAD'),
    maxRequestsPerSecond: settings.number('RUNYARD_MAX_REQUESTS_PER_SECOND'),
    streamBufferBytes: settings.number('RUNYARD_STREAM_BUFFER_BYTES'),
    pythonProcesses: settings.number('RUNYARD_PYTHON_PROCESSES'),
    pageBytes: settings.number('RUNYARD_MAX_PAGE_BYTES'),
    answerBytes: settings.number('RUNYARD_MAX_ANSWER_BYTES'),
    metadataBytes: settings.number('RUNYARD_MAX_METADATA_BYTES'),
  }
}

/** The host names and page origins that a server without keys accepts. */
export function readOpenTo(settings: Settings) {
  const hosts = splitList(settings.value('RUNYARD_ALLOWED_HOSTS'))
  const origins = settings.value('RUNYARD_ALLOWED_ORIGINS')
  for (const host of hosts) {
    if (host === '*' || /^[\w.-]+$/.test(host)) continue
    const form = 'names such as agents.test, .agents.test or *, without ports'
    settings.problem('RUNYARD_ALLOWED_HOSTS', `must be a list of ${form}, not "${host}"`)
  }
  for (const origin of splitList(origins)) {
    if (origin === '*' || origin === 'null' || URL.parse(origin)?.origin === origin) continue
    const form = 'origins such as https://app.test, or *'
    settings.problem('RUNYARD_ALLOWED_ORIGINS', `must be a list of ${form}, not "${origin}"`)
  }
  return {
    allowedHosts: hosts.map((host) => host.toLowerCase()),
    allowedOrigins: origins === undefined ? undefined : splitList(origins),
  }
}

/** Reads how many workers a server starts. Only a server that would execute runs itself may have some. */
export function readWorkers(settings: Settings): { role: ServerRole; workers: number } {
  const role = settings.choice('RUNYARD_ROLE')
  const given = settings.flag('workers') ?? '1'
  const isCount = /^[1-9]\d?$/.test(given)
  if (!isCount) settings.problem('--workers', `must be a number from 1 to 99, not "${given}"`)
  const workers = isCount ? Number(given) : 1
  if (workers > 1 && role !== 'all') {
    const whose = 'is for a server that executes runs and answers: leave --role away'
    settings.problem('--workers', whose)
  }
  return { role, workers }
}
