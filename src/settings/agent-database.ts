/** The database URL for agent servers, if it differs from the control plane's. */
import { isLoopbackHost, parseDatabaseUrl } from '../core/database-url.ts'
import { AppError } from '../core/errors.ts'
import type { Settings } from './settings.ts'

const NAME = 'RUNYARD_AGENT_DATABASE_URL'

/**
 * `undefined`: use `RUNYARD_DATABASE_URL`. An address that would lead agent servers to themselves is a problem,
 * reported here rather than by every revision.
 */
export function readAgentDatabase(read: Settings): string | undefined {
  const own = read.databaseUrl()
  const text = read.value(NAME)
  const problem = (sentence: string) => read.problem(NAME, sentence)
  if (text !== undefined && own === undefined) problem('needs RUNYARD_DATABASE_URL beside it')
  if (text !== undefined && own !== undefined) checkAddress(text, own, problem)
  const runtime = read.choice('RUNYARD_RUNTIME')
  const address = text ?? own
  if (runtime !== 'process' && address !== undefined && isNearOnly(address)) {
    const [where, whose] = runtime === 'docker' ? ['container', 'containers'] : ['pod', 'pods']
    problem(
      `must name the database as ${whose} reach it: in a ${where} loopback is the ${where} itself. Set it to ` +
        'postgres://USER:PASSWORD@HOST:PORT/NAME with an address of this machine that PostgreSQL listens on',
    )
  }
  return text
}

function checkAddress(text: string, own: string, problem: (sentence: string) => void): void {
  try {
    const { schema } = parseDatabaseUrl(text)
    const isOther = schema !== undefined && schema !== parseDatabaseUrl(own).schema
    if (isOther) problem('must name the schema that RUNYARD_DATABASE_URL names, or none')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // A problem of the other URL is reported for that one.
    problem(error.message)
  }
}

/** Whether only this machine, or this container, can reach it. An unreadable URL is reported elsewhere. */
function isNearOnly(text: string): boolean {
  const url = URL.parse(text)
  if (!url) return false
  const hosts = [url.searchParams.get('host') ?? url.hostname.replaceAll(/%2f/gi, '/')]
  const direct = url.searchParams.get('direct')
  if (direct !== null) hosts.push(direct.replace(/:\d+$/, ''))
  return hosts.some((host) => host.startsWith('/') || isLoopbackHost(host))
}
