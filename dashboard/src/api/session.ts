/** Who has signed in, and what they may do. */
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

/** `talk`: to agents, and whatever else changes something there. `operate`: to run the installation. */
export type Permission = 'read' | 'talk' | 'write' | 'administer' | 'operate'

const ALLOWED: Record<Role, readonly Permission[]> = {
  admin: ['read', 'talk', 'write', 'administer'],
  developer: ['read', 'talk', 'write'],
  viewer: ['read'],
  agent: ['talk'],
}

/** Where sessions are opened, read and ended. */
const ADDRESS = `${location.origin}${MODE === 'control-plane' ? '/v2/session' : '/studio/session'}`

/** Scripts cannot see the cookie of a session, and an old one is gone: this stays until the person signs out. */
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
    // They have left that workspace, or it is gone. The rest of the page was asked for there too: it begins anew.
    if (statusOf(error) === 403 && chosenWorkspace() !== undefined) {
      forgetWorkspace()
      location.reload()
    }
    throw error
  }
}

/** Whether somebody had signed in with this browser and has not signed out: their session has ended by itself. */
export function wasSignedIn(): boolean {
  return localStorage.getItem(SIGNED_IN) !== null
}

/** Undefined until the server has told. */
export function useSession(): Session | undefined {
  return useQuery(sessionQuery()).data
}

/** Whether something is to be offered to them. What is allowed in the end, the server says. */
export function useMay(permission: Permission): boolean {
  const session = useSession()
  if (!session) return false
  return permission === 'operate' ? session.is_operator : ALLOWED[session.role].includes(permission)
}

/** How people can sign in, besides with a key. One agent server takes keys alone. */
export function waysQuery() {
  return queryOptions({
    queryKey: ['sign-in-ways'],
    queryFn: () => dataOf(controlPlane.api.GET('/v2/session/ways')),
    enabled: MODE === 'control-plane',
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/**
 * Opens a session with the code of a link, which is good once, or with an API key. Whoever comes back after the
 * session's end finds the workspace that they looked at, if it is still theirs. 409: the link would sign another person
 * out, and asks for `replaces_session`.
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
  // First: what another request hears meanwhile is no surprise to anybody.
  localStorage.removeItem(SIGNED_IN)
  await askSession('DELETE')
  giveHeaders('')
  forgetWorkspace()
}

/**
 * Of one agent server: whether somebody whom the Studio has let in is known to the project's own `auth` too.
 * The refusal, or null. It fails for those who have not signed in.
 */
export function refusalQuery() {
  return queryOptions({
    queryKey: ['refusal of the project'],
    queryFn: async (): Promise<AgentRefusal | null> => {
      await askSession('GET')
      // With it comes the official SDK, which the shell has no use for.
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
