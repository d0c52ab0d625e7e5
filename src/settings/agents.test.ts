import { expect, it } from 'vitest'
import { readUpConfig } from './config.ts'

const registry = (env: Record<string, string>) => readUpConfig({}, env).registry

it('is the registry that the operator names, with its logins', () => {
  expect(registry({})).toBeUndefined()
  expect(
    registry({
      RUNYARD_REGISTRY_URL: 'https://registry.example.com:5000/team/',
      RUNYARD_REGISTRY_USER: 'runyard',
      RUNYARD_REGISTRY_PASSWORD: 'p',
      RUNYARD_REGISTRY_PUSH_PASSWORD: 'q',
    }),
  ).toEqual({
    url: 'https://registry.example.com:5000/team',
    prefix: 'registry.example.com:5000/team',
    login: { username: 'runyard', password: 'p' },
    pushLogin: { username: 'oauth2accesstoken', password: 'q' },
  })
})

it.each([
  [{ RUNYARD_REGISTRY_URL: 'registry.example.com' }, 'must be an http or https URL'],
  [{ RUNYARD_REGISTRY_URL: 'https://r.example.com/Team' }, 'folders in small letters'],
  [{ RUNYARD_REGISTRY_URL: 'https://me:pw@r.example.com' }, 'without a password'],
  [{ RUNYARD_REGISTRY_URL: 'https://r.example.com/a?b' }, 'folders in small letters'],
  [{ RUNYARD_REGISTRY_PASSWORD: 'p' }, 'RUNYARD_REGISTRY_URL: has to be set'],
  [
    { RUNYARD_REGISTRY_URL: 'https://r.example.com', RUNYARD_REGISTRY_USER: 'a:b' },
    'RUNYARD_REGISTRY_USER: must be a name without a colon',
  ],
  [{ RUNYARD_REGISTRY_ALLOW: 'all' }, 'RUNYARD_REGISTRY_ALLOW'],
])('refuses %j', (env, message) => {
  expect(() => registry(env as Record<string, string>)).toThrow(message)
})
