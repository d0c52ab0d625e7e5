import { expect, it } from 'vitest'
import { findPullSecret, isPullSecret, PULL_SECRET } from './pull-secret.ts'

const auth = (text: string) => ({ auth: Buffer.from(text).toString('base64') })
const secret = (auths: unknown) => [{ name: PULL_SECRET, value: JSON.stringify({ auths }) }]

it('is found by its registry, whichever way it was written', () => {
  const secrets = secret({
    'registry.example.com': auth('me:pass:word'),
    'https://other.example.com/': { username: 'you', password: 'p' },
    'https://index.docker.io/v1/': auth('hub:secret'),
  })
  const me = { username: 'me', password: 'pass:word' }
  expect(findPullSecret(secrets, 'registry.example.com')).toEqual(me)
  const you = { username: 'you', password: 'p' }
  expect(findPullSecret(secrets, 'other.example.com')).toEqual(you)
  const hub = { username: 'hub', password: 'secret' }
  expect(findPullSecret(secrets, 'docker.io')).toEqual(hub)
})

it('is of its own registry alone', () => {
  const secrets = secret({ 'registry.example.com': auth('me:p') })
  for (const registry of ['docker.io', 'example.com', 'registry.example.com:5000', '__proto__'])
    expect(findPullSecret(secrets, registry)).toBeUndefined()
  expect(findPullSecret([], 'registry.example.com')).toBeUndefined()
})

it.each(['', '{}', '[]', 'null', '{"auths":[]}', '{"auths":{"r":{}}}', '{"auths":{"r":null}}'])(
  'is not %s',
  (text) => {
    expect(isPullSecret(text)).toBe(false)
  },
)

it('is what docker login writes', () => {
  expect(isPullSecret(JSON.stringify({ auths: { r: auth('a:b') } }))).toBe(true)
  expect(isPullSecret(JSON.stringify({ auths: { r: { auth: 'bm9jb2xvbg==' } } }))).toBe(false)
})
