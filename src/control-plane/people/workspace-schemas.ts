/** Workspaces and the caller on the wire. */
import { z } from '@hono/zod-openapi'
import { PRINCIPAL_KINDS, ROLES } from '../../core/people/api-key.ts'
import { line, Uuid } from '../operations/text.ts'

export const WorkspaceRequestSchema = z
  .object({ name: line(256).min(1) })
  .openapi('WorkspaceRequest')

export const WorkspaceSchema = z
  .object({ id: z.uuid(), name: z.string(), created_at: z.iso.datetime() })
  .openapi('Workspace')

/** `offset` is the one to ask for next. An empty page is the end. */
export const WorkspacesListSchema = z
  .object({ resources: z.array(WorkspaceSchema), offset: z.int() })
  .openapi('WorkspacesList')

export const WorkspacePathSchema = z.object({ workspace_id: Uuid })

export const MeSchema = z
  .object({
    user_id: z.string(),
    name: z.string(),
    kind: z.enum(PRINCIPAL_KINDS),
    workspace_id: z.uuid(),
    role: z.enum(ROLES),
    is_operator: z.boolean().openapi({ description: 'Whether it runs the installation.' }),
  })
  .openapi('Me')
