import { expect, it } from 'vitest'
import { parseChallenge } from './challenge.ts'

it('reads where a token is to be had, for what', () => {
  const header =
    'Bearer realm="https://auth.example.com/token",service="registry.example.com",scope="repository:a/b:pull"'
  expect(parseChallenge(header)).toEqual({
    scheme: 'bearer',
    realm: 'https://auth.example.com/token',
    service: 'registry.example.com',
    scope: 'repository:a/b:pull',
  })
  expect(parseChallenge('bearer Realm="https://a/"')).toEqual({
    scheme: 'bearer',
    realm: 'https://a/',
  })
})

it('reads that a name and a password are wanted', () => {
  expect(parseChallenge('Basic realm="registry"')).toEqual({ scheme: 'basic' })
})

it.each([null, '', 'Negotiate', 'Bearer', 'Bearer service="x"'])(
  'knows nothing of %j',
  (header) => {
    expect(parseChallenge(header)).toBeUndefined()
  },
)
