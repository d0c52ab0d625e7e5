/** The `auth` of a project in Python. */
import type { AuthUser } from '../../core/agent/authorization.ts'
import type { AuthDecision, AuthQuestion, ProjectAuth } from '../../core/agent/host/auth.ts'
import { WithBytes } from './frames.ts'
import { wireRequest } from './http.ts'

export interface WireAuth {
  is_studio_auth_disabled: boolean
  /** Whether `authenticate` reads bodies. */
  wants_body: boolean
}

/** Calls the process that has the auth; calls the next one if it ends meanwhile. */
type Ask = (method: string, params: Record<string, unknown> | WithBytes) => Promise<unknown>

export function pythonAuth(told: WireAuth, ask: Ask): ProjectAuth {
  return {
    isStudioAuthDisabled: told.is_studio_auth_disabled,
    wantsBody: told.wants_body,
    async authenticate(request) {
      const asked = { request: wireRequest(request) }
      const body = told.wants_body && request.body ? [await request.bytes()] : []
      return (await ask('auth.authenticate', new WithBytes(asked, body))) as AuthUser
    },
    async authorize(question: AuthQuestion) {
      return (await ask('auth.authorize', { ...question })) as AuthDecision
    },
  }
}
