/** Asking for tokens, on the wire. */
import { z } from '@hono/zod-openapi'
import { line, Uuid } from '../../operations/text.ts'

/** As in RFC 6749, section 3.3: printable, without spaces, quotes and backslashes. */
const Scope = z
  .string()
  .max(1024)
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'Expected a scope: one word')

export const AuthenticateRequestSchema = z
  .object({
    provider: line(256).min(1),
    scopes: z.array(Scope).max(200),
    user_id: line(512).nullish(),
    ls_user_id: line(512).nullish(),
    agent_id: line(256).min(1).nullish(),
    token_id: Uuid.nullish(),
    force_new: z.boolean().default(false),
    is_default: z.boolean().default(true),
    redirect_uri: line(2048).nullish(),
  })
  .openapi('AuthAuthenticateRequest')

export type AuthenticateRequest = z.infer<typeof AuthenticateRequestSchema>

export const AuthenticateAnswerSchema = z
  .object({
    status: z.enum(['completed', 'pending', 'connection_required', 'token_expired']),
    url: z.string().nullish(),
    auth_id: z.string().nullish(),
    token: z.string().nullish(),
    user_id: z.string().nullish(),
    metadata: z.record(z.string(), z.unknown()).nullish(),
  })
  .openapi('AuthAuthenticateResponse')

export type AuthenticateAnswer = z.infer<typeof AuthenticateAnswerSchema>

const MAX_WAIT_SECS = 600

export const WaitQuerySchema = z.object({
  timeout: z.coerce.number().int().min(0).max(MAX_WAIT_SECS).default(30).openapi({
    type: 'integer',
    minimum: 0,
    maximum: MAX_WAIT_SECS,
    default: 30,
  }),
})

export const WaitAnswerSchema = z
  .object({
    status: z.enum(['completed', 'pending', 'timeout', 'not_found']),
    token: z.string().nullish(),
    problem: z
      .string()
      .optional()
      .openapi({ description: 'With `not_found`: why the consent has failed, for people.' }),
    missing_scopes: z
      .array(z.string())
      .optional()
      .openapi({ description: 'With `not_found`: what was asked for, and not given.' }),
  })
  .openapi('AuthWaitResponse')

export type WaitAnswer = z.infer<typeof WaitAnswerSchema>

export const AuthPathSchema = z.object({ auth_id: line(256) })

export const FinalizeRequestSchema = z
  .object({
    code: z.string().min(1).max(8192),
    state: z.string().min(1).max(512),
    /** The end user logged in at the page; needed if the consent is an end user's. */
    user_id: line(512).min(1).optional(),
    /** As the provider sent it; needed if its metadata promises it (RFC 9207). */
    iss: z.string().min(1).max(2048).optional(),
  })
  .openapi('OAuthFinalizeRequest')

export const FinalizedSchema = z
  .object({ status: z.literal('completed'), provider_id: z.string(), token_id: z.string() })
  .openapi('OAuthFinalized')

/** Parameters that providers send; GitHub's `setup` sends more. */
export const CallbackQuerySchema = z.object({
  code: z.string().max(8192).optional(),
  state: z.string().max(512).optional(),
  error: z.string().max(1024).optional(),
  error_description: z.string().max(8192).optional(),
  iss: z.string().max(2048).optional(),
})

export const SetupQuerySchema = CallbackQuerySchema.extend({
  setup_action: z.string().max(256).optional(),
  installation_id: z.coerce.number().int().optional().openapi({ type: 'integer' }),
})
