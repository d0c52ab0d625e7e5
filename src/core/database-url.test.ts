import { expect, it } from 'vitest'
import { deploymentDatabaseUrl, parseDatabaseUrl, withSchema } from './database-url.ts'

const URL_OF_ONE = 'postgres://user:p%40ss@db.example.com:6432/runyard'

it('keeps its own parameters from the driver, and hands the others on', () => {
  const own = 'schema=agents&pool_size=3&statement_timeout=500&pgbouncer=true'
  expect(parseDatabaseUrl(`${URL_OF_ONE}?sslmode=require&${own}`)).toEqual({
    connectionString: `${URL_OF_ONE}?sslmode=require`,
    schema: 'agents',
    poolSize: 3,
    statementTimeoutMs: 500,
    isShared: true,
    listenString: undefined,
  })
})

it('knows what they are when they are not given', () => {
  expect(parseDatabaseUrl('postgresql:///runyard?host=/run/postgresql')).toEqual({
    connectionString: 'postgresql:///runyard?host=%2Frun%2Fpostgresql',
    schema: undefined,
    poolSize: 10,
    statementTimeoutMs: 30_000,
    isShared: false,
    listenString: 'postgresql:///runyard?host=%2Frun%2Fpostgresql',
  })
})

it.each([
  ['db.internal:5432', 'postgres://user:p%40ss@db.internal:5432/runyard'],
  ['/run/pg:5433', 'postgres://user:p%40ss@db.example.com:5433/runyard?host=%2Frun%2Fpg'],
])('listens at %s, past PgBouncer', (direct, listenString) => {
  const url = `${URL_OF_ONE}?pgbouncer=true&direct=${encodeURIComponent(direct)}`
  expect(parseDatabaseUrl(url)).toMatchObject({ connectionString: URL_OF_ONE, listenString })
})

it.each([
  ['mysql://localhost/x', 'postgres://'],
  ['postgres://[', 'postgres://'],
  [`${URL_OF_ONE}?schema=Robert"; drop`, 'schema'],
  [`${URL_OF_ONE}?pool_size=0`, 'pool_size'],
  [`${URL_OF_ONE}?statement_timeout=soon`, 'statement_timeout'],
  [`${URL_OF_ONE}?pgbouncer=1`, 'pgbouncer'],
  [`${URL_OF_ONE}?direct=db.example.com`, 'direct'],
])('refuses %s and says what is wrong, without the password', (url, word) => {
  const refusal = () => parseDatabaseUrl(url)
  expect(refusal).toThrow(expect.objectContaining({ code: 'bad_request' }))
  expect(refusal).toThrow(word)
  expect(refusal).not.toThrow('p%40ss')
})

it('gives each deployment a schema whose name PostgreSQL takes whole', () => {
  const id = '6F9619FF-8B86-D011-B42D-00CF4FC964FF'
  const schemaOf = (url: string) => parseDatabaseUrl(deploymentDatabaseUrl(url, id)).schema
  expect(schemaOf(URL_OF_ONE)).toBe('runyard_6f9619ff8b86d011b42d00cf4fc964ff')
  const long = schemaOf(withSchema(URL_OF_ONE, 'x'.repeat(63)))
  expect(long).toMatch(/^x{30}_6f9619ff8b86d011b42d00cf4fc964ff$/)
})
