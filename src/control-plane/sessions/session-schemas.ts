/** Sessions on the wire. */
import { z } from '@hono/zod-openapi'
import { PRINCIPAL_KINDS, ROLES } from '../../core/people/api-key.ts'
import { BooleanText, Limit, line, Offset, Uuid } from '../operations/text.ts'

/** Exactly one of the members. */
export const SignInRequestSchema = z
  .object({
    code: line(256).min(1).optional().openapi({ description: 'Of a link that signs in once.' }),
    api_key: line(16_384)
      .min(1)
      .optional()
      .openapi({ description: 'An API key, or a signed user token.' }),
    replaces_session: z.boolean().default(false).openapi({
      description:
        'With `code`: sign in although another person is signed in with this browser. That session ends.',
    }),
  })
  .refine(
    ({ code, api_key }) => (code === undefined) !== (api_key === undefined),
    'Send code or api_key, and not both',
  )
  .openapi('SignInRequest')

export type SignInRequest = z.infer<typeof SignInRequestSchema>

export const SessionSchema = z
  .object({
    id: z.uuid(),
    user_id: z
      .string()
      .openapi({ description: 'The id of the API key, or `user:` and a subject.' }),
    name: z.string(),
    kind: z.enum(PRINCIPAL_KINDS),
    role: z.enum(ROLES),
    workspace_id: z.uuid(),
    user_agent: z.string().nullable(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().openapi({ description: 'To the minute.' }),
    expires_at: z.iso.datetime().openapi({ description: 'When it ends unless it is used before.' }),
    ends_at: z.iso.datetime().openapi({ description: 'When it ends in any case.' }),
    is_current: z.boolean().openapi({ description: 'Whether it is the one of this request.' }),
  })
  .openapi('Session')

export type SessionAnswer = z.infer<typeof SessionSchema>

export const CurrentSessionSchema = SessionSchema.extend({
  is_operator: z.boolean().openapi({
    description: 'Whether they run the installation: an admin of the first workspace.',
  }),
  workspaces: z
    .array(z.object({ id: z.uuid(), name: z.string() }))
    .openapi({ description: 'Those that `X-Tenant-Id` may name.' }),
}).openapi('CurrentSession')

export const SignInLinkSchema = z
  .object({
    url: z.url().openapi({ description: 'The page that signs in, with the code behind `#`.' }),
    code: z.string(),
    expires_at: z.iso.datetime(),
  })
  .openapi('SignInLink')

export type SignInLinkAnswer = z.infer<typeof SignInLinkSchema>

export const SessionsListSchema = z
  .object({ resources: z.array(SessionSchema), offset: z.int() })
  .openapi('SessionsList')

export const SessionsQuerySchema = z.object({
  limit: Limit,
  offset: Offset,
  all: BooleanText.openapi({
    description: 'For admins: the sessions of all users of the workspace.',
  }),
})

export const SignInWaysSchema = z
  .object({
    api_key: z.literal(true),
    oidc: z
      .object({ issuer: z.string(), path: z.string() })
      .nullable()
      .openapi({ description: 'Where a browser goes to sign in at the issuer. `null`: nowhere.' }),
  })
  .openapi('SignInWays')

export const SessionPathSchema = z.object({ session_id: Uuid })
