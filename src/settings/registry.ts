/** The operator's registry of images. */
import type { RegistryLogin } from '../core/deployment/images/pull-secret.ts'
import type { OwnRegistry } from '../core/deployment/images/registry.ts'
import type { Settings } from './settings.ts'
import { rowOf } from './table.ts'

const URL_NAME = 'RUNYARD_REGISTRY_URL'
/** Engines accept no other names: a host, perhaps a port, and folders in lower case. */
const PREFIX = /^[^/@]+(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/

/** `undefined`: none is configured. */
export function readRegistry(settings: Settings): OwnRegistry | undefined {
  const url = settings.baseUrl(URL_NAME)
  const login = readLogin(settings, 'RUNYARD_REGISTRY_USER', 'RUNYARD_REGISTRY_PASSWORD')
  const pushLogin = readLogin(
    settings,
    'RUNYARD_REGISTRY_PUSH_USER',
    'RUNYARD_REGISTRY_PUSH_PASSWORD',
  )
  if (url === undefined) {
    if (login ?? pushLogin) settings.problem(URL_NAME, 'has to be set with a registry password')
    return undefined
  }
  const prefix = url.replace(/^https?:\/\//, '')
  if (!PREFIX.test(prefix)) {
    const form = 'a host and folders in small letters, such as https://registry.example.com/team'
    settings.problem(URL_NAME, `must be ${form}, without a password`)
  }
  return { url, prefix, ...(login && { login }), ...(pushLogin && { pushLogin }) }
}

/** The name alone is no login. */
function readLogin(
  settings: Settings,
  user: 'RUNYARD_REGISTRY_USER' | 'RUNYARD_REGISTRY_PUSH_USER',
  secret: 'RUNYARD_REGISTRY_PASSWORD' | 'RUNYARD_REGISTRY_PUSH_PASSWORD',
): RegistryLogin | undefined {
  const username = settings.value(user) ?? rowOf(user).default
  const password = settings.value(secret)
  if (username.includes(':')) settings.problem(user, 'must be a name without a colon')
  return password === undefined ? undefined : { username, password }
}
