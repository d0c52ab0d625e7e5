/** The signed-in user and their permissions. */
import { ControlPlaneError, type CurrentSession, dataOf } from '@runyard/client'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type AgentRefusal, askAgent } from './agent-request.ts'
import { controlPlane } from './control-plane.ts'
import { giveHeaders } from './given-headers.ts'
import { MODE } from './mode.ts'
import { statusOf } from './query-client.ts'
import { chosenWorkspace, forgetWorkspace, workspaceHeaders } from './workspace.ts'

export type Role = CurrentSession['role']
export type Session = CurrentSession

/** `talk`: call agents and change data of agent servers. `operate`: run the installation. */
export type Permission = 'read' | 'talk' | 'write' | 'administer' | 'operate'

const ALLOWED: Record<Role, readonly Permission[]> = {
  admin: ['read', 'talk', 'write', 'administer'],
  developer: ['read', 'talk', 'write'],
  viewer: ['read'],
  agent: ['talk'],
}

/** The address for opening, reading and ending sessions. */
const ADDRESS = `${location.origin}${MODE === 'control-plane' ? '/v2/session' : '/studio/session'}`

/** Scripts cannot read the session cookie, and an expired one is gone. This mark stays until the user signs out. */
const SIGNED_IN = 'runyard.signed-in'

export function sessionQuery() {
  return queryOptions({
    queryKey: ['session'],
    queryFn: readSession,
    staleTime: 60_000,
  })
}

async function readSession(): Promise<Session> {
  try {
    const session = await (await askSession('GET', { headers: workspaceHeaders() })).json()
    localStorage.setItem(SIGNED_IN, 'yes')
    return session
  } catch (error) {
    // The user left that workspace, or it was deleted. The page's other requests named it too, so reload.
    if (statusOf(error) === 403 && chosenWorkspace() !== undefined) {
      forgetWorkspace()
      location.reload()
    }
    throw error
  }
}

/** Whether this browser had a session that expired: the user signed in and did not sign out. */
export function wasSignedIn(): boolean {
  return localStorage.getItem(SIGNED_IN) !== null
}

/** Undefined until the server has responded. */
export function useSession(): Session | undefined {
  return useQuery(sessionQuery()).data
}

/** Whether the page offers an action to the user. The server makes the final decision. */
export function useMay(permission: Permission): boolean {
  const session = useSession()
  if (!session) return false
  return permission === 'operate' ? session.is_operator : ALLOWED[session.role].includes(permission)
}

/** Ways to sign in other than with a key. A single agent server accepts only keys. */
export function waysQuery() {
  return queryOptions({
    queryKey: ['sign-in-ways'],
    queryFn: () => dataOf(controlPlane.api.GET('/v2/session/ways')),
    enabled: MODE === 'control-plane',
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/**
 * Opens a session with a link's code, which works once, or with an API key. A user who returns after the session ended
 * finds the workspace they had chosen, if they still belong to it. 409: the link would sign out another user, and needs
 * `replaces_session`.
 */
export async function signIn(
  credential: { code: string; replaces_session?: true } | { api_key: string },
): Promise<Session> {
  const session: Session = await (await askSession('POST', { body: credential })).json()
  localStorage.setItem(SIGNED_IN, 'yes')
  const chosen = chosenWorkspace()
  if (MODE !== 'control-plane' || !session.workspaces.some(({ id }) => id === chosen))
    forgetWorkspace()
  return session
}

export async function signOut(): Promise<void> {
  // First, so that a 401 of another request meanwhile is expected.
  localStorage.removeItem(SIGNED_IN)
  await askSession('DELETE')
  giveHeaders('')
  forgetWorkspace()
}

/**
 * For one agent server: whether the project's own `auth` accepts a user whom the Studio has let in. Returns the
 * refusal, or null. Fails if the user is not signed in.
 */
export function refusalQuery() {
  return queryOptions({
    queryKey: ['refusal of the project'],
    queryFn: async (): Promise<AgentRefusal | null> => {
      await askSession('GET')
      // It imports the official SDK, which the shell does not need.
      const { agentServer } = await import('./agent-server.tsx')
      try {
        await askAgent(agentServer(), 'POST', '/assistants/count', {})
        return null
      } catch (error) {
        if (statusOf(error) !== 401) throw error
        return error as AgentRefusal
      }
    },
    enabled: MODE === 'agent-server',
    gcTime: 0,
  })
}

async function askSession(
  method: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: object } = {},
): Promise<Response> {
  const response = await fetch(ADDRESS, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (response.ok) return response
  const { detail } = (await response.json().catch(() => ({}))) as { detail?: unknown }
  const message = typeof detail === 'string' ? detail : `The server answers ${response.status}.`
  const requestId = response.headers.get('x-request-id') ?? undefined
  throw new ControlPlaneError(response.status, message, requestId)
}
