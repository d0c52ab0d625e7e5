/**
 * Where a PostgreSQL database is, and how Runyard uses it: `postgres://USER:PASSWORD@HOST:PORT/NAME`.
 * After the `?` come the parameters that libpq knows, and these of Runyard:
 *
 * - `schema`: the schema of the tables; lower-case letters, digits and `_`
 * - `pool_size`: how many connections a process opens at most; default 10
 * - `statement_timeout`: how long a statement may take, in ms; default 30,000
 * - `pgbouncer=true`: this is PgBouncer in transaction mode, so Runyard uses no named statements and nothing
 *   that outlives a transaction
 * - `direct`: `HOST:PORT` of PostgreSQL itself behind PgBouncer, for LISTEN
 */
import { AppError } from './errors.ts'

export interface DatabaseUrl {
  /** The URL for the driver, without Runyard's own parameters. Secret: it holds the password. */
  connectionString: string
  schema: string | undefined
  poolSize: number
  statementTimeoutMs: number
  /** Another client gets the server's connection after each transaction. */
  isShared: boolean
  /** The URL for LISTEN. `undefined`: only PgBouncer can be reached, which does not support LISTEN. */
  listenString: string | undefined
}

const OWN = ['schema', 'pool_size', 'statement_timeout', 'pgbouncer', 'direct']
const DEFAULT_POOL_SIZE = 10
const DEFAULT_STATEMENT_TIMEOUT_MS = 30_000
const MAX_STATEMENT_TIMEOUT_MS = 3_600_000
/** The schema of the control plane's tables, unless the URL names another one. */
export const CONTROL_PLANE_SCHEMA = 'runyard'
/** PostgreSQL cuts off longer names. */
const MAX_SCHEMA_LENGTH = 63
const SCHEMA_FORM = /^[a-z_][a-z0-9_]{0,62}$/

/** Whether the text is a URL of PostgreSQL, valid or not, rather than a path. */
export function isDatabaseUrl(text: string): boolean {
  return /^postgres(ql)?:/i.test(text)
}

/** Throws `bad_request` with what is wrong; the message never holds the URL itself. */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const url = URL.parse(text)
  if (!url || !isDatabaseUrl(text)) throw refusal('must be postgres://USER:PASSWORD@HOST:PORT/NAME')
  const given = (name: string) => url.searchParams.get(name) ?? undefined
  const parsed = {
    schema: schemaIn(given('schema')),
    poolSize: numberIn('pool_size', given('pool_size'), DEFAULT_POOL_SIZE, 1000),
    statementTimeoutMs: numberIn(
      'statement_timeout',
      given('statement_timeout'),
      DEFAULT_STATEMENT_TIMEOUT_MS,
      MAX_STATEMENT_TIMEOUT_MS,
    ),
    isShared: booleanIn('pgbouncer', given('pgbouncer')),
  }
  const direct = given('direct')
  for (const name of OWN) url.searchParams.delete(name)
  const connectionString = url.href
  const own = parsed.isShared ? undefined : connectionString
  const listenString = direct === undefined ? own : directly(url, direct)
  return { connectionString, ...parsed, listenString }
}

/** The database of a deployment's agent servers: a schema of its own, named after the URL's. */
export function deploymentDatabaseUrl(text: string, deployment_id: string): string {
  const { schema = CONTROL_PLANE_SCHEMA } = parseDatabaseUrl(text)
  const id = deployment_id.toLowerCase().replace(/[^a-z0-9]/g, '')
  return withSchema(text, `${schema.slice(0, MAX_SCHEMA_LENGTH - 1 - id.length)}_${id}`)
}

/** Whether the host is this machine; no host at all is `localhost`. */
export function isLoopbackHost(host: string): boolean {
  return /^(|localhost|.*\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[?::1?\]?)\.?$/i.test(host)
}

/** The same database, with the tables in this schema. */
export function withSchema(text: string, schema: string): string {
  const url = new URL(text)
  url.searchParams.set('schema', schema)
  return url.href
}

/** The same database, as another user. `password`: replaces that of the user before. */
export function withLogin(
  text: string,
  { user, password }: { user: string; password: string },
): string {
  const url = new URL(text)
  url.username = ''
  url.password = ''
  // A URL without a host can hold them only here; the driver reads these first.
  url.searchParams.set('user', user)
  url.searchParams.set('password', password)
  return url.href
}

function schemaIn(text: string | undefined): string | undefined {
  if (text === undefined || SCHEMA_FORM.test(text)) return text
  throw refusal('schema must be a name of lower-case letters, digits and "_"')
}

function numberIn(name: string, text: string | undefined, fallback: number, max: number): number {
  if (text === undefined) return fallback
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value
  throw refusal(`${name} must be a number from 1 to ${max}`)
}

function booleanIn(name: string, text: string | undefined): boolean {
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  throw refusal(`${name} must be true or false`)
}

/**
 * The URL with the host and port from `direct`. A host that begins with a slash is the folder of a
 * socket.
 */
function directly(url: URL, direct: string): string {
  const [, host, port] = /^([^\s/@?#]+|\/[^\s?#:]*):(\d{1,5})$/.exec(direct) ?? []
  if (host === undefined || port === undefined) throw refusal('direct must be HOST:PORT')
  const there = new URL(url)
  for (const name of ['host', 'port']) there.searchParams.delete(name)
  there.port = port
  if (host.startsWith('/')) there.searchParams.set('host', host)
  else there.hostname = host
  return there.href
}

function refusal(sentence: string): AppError {
  return new AppError('bad_request', `The URL of the database: ${sentence}.`)
}
