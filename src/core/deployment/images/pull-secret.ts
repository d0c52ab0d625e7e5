/**
 * The login for pulling a deployment's image from a private registry. It is one of the deployment's secrets, so that
 * every client can set it; the image itself never sees it.
 */
import { isObject, jsonIn } from '../../json.ts'
import type { Secret } from '../revision.ts'

/** The login of a user at a registry. */
export interface RegistryLogin {
  username: string
  password: string
}

/** The secret's name. Its value is what `docker login` writes: `{"auths": {"HOST": {"auth": "…"}}}`. */
export const PULL_SECRET = 'RUNYARD_PULL_SECRET'

/** Docker Hub's login is stored under an old address. */
const HUB = ['docker.io', 'https://index.docker.io/v1/', 'index.docker.io', 'registry-1.docker.io']

/** Whether each of its logins can be read. */
export function isPullSecret(text: string): boolean {
  const auths = authsOf(text)
  return auths !== undefined && Object.values(auths).every((auth) => loginOf(auth) !== undefined)
}

/** The login for a registry such as `registry.example.com:5000`; `undefined`: there is none. */
export function findPullSecret(
  secrets: readonly Secret[],
  registry: string,
): RegistryLogin | undefined {
  const text = secrets.find(({ name }) => name === PULL_SECRET)?.value
  const auths = text === undefined ? undefined : authsOf(text)
  const names = registry === 'docker.io' ? HUB : [registry, `https://${registry}`]
  for (const [name, auth] of Object.entries(auths ?? {})) {
    if (names.includes(name) || names.includes(name.replace(/\/$/, ''))) return loginOf(auth)
  }
  return undefined
}

function authsOf(text: string): Readonly<Record<string, unknown>> | undefined {
  const config = jsonIn(text)
  return isObject(config) && isObject(config.auths) ? config.auths : undefined
}

/** `auth` is name and password in base64; Kubernetes also has them as they are. */
function loginOf(entry: unknown): RegistryLogin | undefined {
  if (!isObject(entry)) return undefined
  const { auth, username, password } = entry
  if (typeof username === 'string' && typeof password === 'string') return { username, password }
  if (typeof auth !== 'string') return undefined
  const text = Buffer.from(auth, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 1
    ? undefined
    : { username: text.slice(0, colon), password: text.slice(colon + 1).replace(/\0+$/, '') }
}
