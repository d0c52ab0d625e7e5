import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { checkSecrets, refuseSecretReferences } from './secret-rules.ts'

const named = (...names: string[]) => names.map((name) => ({ name, value: 'x' }))

test('names that the platform sets itself are reserved', () => {
  for (const name of ['POSTGRES_URI', 'PORT', 'PATH', 'LANGGRAPH_AUTH_TYPE']) {
    const refusal = { code: 'bad_request', message: expect.stringContaining(`${name} is reserved`) }
    expect(() => checkSecrets(named('A', name))).toThrow(expect.objectContaining(refusal))
  }
})

test('so are all names of Runyard’s own settings', () => {
  expect(() => checkSecrets(named('RUNYARD_ANYTHING'))).toThrow('RUNYARD_ANYTHING is reserved')
})

test('names of a project’s own tracing and databases are free', () => {
  const free = [
    'LANGSMITH_API_KEY',
    'LANGSMITH_ENDPOINT',
    'POSTGRES_URI_CUSTOM',
    'REDIS_URI_CUSTOM',
  ]
  expect(() => checkSecrets(named(...free, 'port', 'OPENAI_API_KEY'))).not.toThrow()
})

test('a name stands there once', () => {
  expect(() => checkSecrets(named('A', 'B', 'A'))).toThrow('The secret A is there twice')
})

test('the deploy key is a whole private key', () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const value = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  expect(() => checkSecrets([{ name: 'RUNYARD_DEPLOY_KEY', value }])).not.toThrow()
  const publicPart = [{ name: 'RUNYARD_DEPLOY_KEY', value: 'ssh-ed25519 AAAA' }]
  expect(() => checkSecrets(publicPart)).toThrow('must be a private key')
})

test('references to secrets elsewhere are refused, an empty list of them is not', () => {
  for (const none of [undefined, null, []]) expect(() => refuseSecretReferences(none)).not.toThrow()
  expect(() => refuseSecretReferences([{ name: 'A' }])).toThrow('only for source external_docker')
})
