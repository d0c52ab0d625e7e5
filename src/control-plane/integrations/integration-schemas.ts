/** GitHub integrations on the wire. */
import { z } from '@hono/zod-openapi'
import { line, Uuid } from '../operations/text.ts'

export const InstallationSchema = z
  .object({ id: z.uuid(), installation_id: z.int(), name: z.string() })
  .openapi('GithubIntegration')

export type Installation = z.infer<typeof InstallationSchema>

export const RepositorySchema = z
  .object({
    host_integration_id: z.uuid(),
    id: z.int(),
    name: z.string(),
    owner: z.string(),
    url: z.string(),
    default_branch: z.string(),
  })
  .openapi('GithubRepository')

export type Repository = z.infer<typeof RepositorySchema>

export const IntegrationPathSchema = z.object({ integration_id: Uuid })

export const InstallationLinkRequestSchema = z
  .object({ return_to: line(2048).nullish() })
  .nullable()
  .openapi('InstallationLinkRequest')
