/** The operations on assistants and their versions. */
import { createRoute, z } from '@hono/zod-openapi'
import { invalidField } from '../../core/errors.ts'
import { createRoutes } from '../../http/app.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { body } from '../operations/body.ts'
import { given } from '../operations/given.ts'
import { AssistantPathSchema } from '../operations/ids.ts'
import { selectable } from '../operations/json.ts'
import { PaginationHeadersSchema, setPagination } from '../operations/pagination.ts'
import { refusals } from '../operations/refusals.ts'
import type { Parts } from '../parts.ts'
import { deleteAssistant } from './delete.ts'
import {
  AssistantCountSchema,
  AssistantCreateSchema,
  AssistantPatchSchema,
  AssistantSchema,
  AssistantSearchSchema,
  AssistantVersionsSchema,
  DeleteAssistantQuerySchema,
  VersionBodySchema,
  VersionQuerySchema,
} from './schemas.ts'
import { countAssistants, searchAssistants } from './search.ts'
import { createAssistant, getAssistant, patchAssistant } from './verbs.ts'
import { listVersions, setLatestVersion } from './versions.ts'

const tags = ['Assistants']

const assistant = {
  description: 'Assistant',
  content: { 'application/json': { schema: AssistantSchema } },
}

const assistants = <T extends z.ZodType>(description: string, schema: T) => ({
  description,
  content: { 'application/json': { schema: z.array(schema) } },
})

const create = createRoute({
  method: 'post',
  path: '/assistants',
  operationId: 'create_assistant_assistants_post',
  tags,
  summary: 'Add an assistant',
  request: { body: body(AssistantCreateSchema) },
  responses: { 200: assistant, ...refusals(404, 409, 422) },
})

const search = createRoute({
  method: 'post',
  path: '/assistants/search',
  operationId: 'search_assistants_assistants_search_post',
  tags,
  summary: 'A page of assistants, newest first unless sorted otherwise',
  request: { body: body(AssistantSearchSchema) },
  responses: {
    200: {
      ...assistants(
        'With `select` each has the selected fields only',
        selectable(AssistantSchema, 'SelectedAssistant'),
      ),
      headers: PaginationHeadersSchema,
    },
    ...refusals(422),
  },
})

const count = createRoute({
  method: 'post',
  path: '/assistants/count',
  operationId: 'count_assistants_assistants_count_post',
  tags,
  summary: 'How many assistants there are',
  request: { body: body(AssistantCountSchema) },
  responses: {
    200: { description: 'Count', content: { 'application/json': { schema: z.int() } } },
    ...refusals(422),
  },
})

const get = createRoute({
  method: 'get',
  path: '/assistants/{assistant_id}',
  operationId: 'get_assistant_assistants__assistant_id__get',
  tags,
  summary: 'An assistant, by its id or by the name of its graph',
  request: { params: AssistantPathSchema },
  responses: { 200: assistant, ...refusals(404, 422) },
})

const patch = createRoute({
  method: 'patch',
  path: '/assistants/{assistant_id}',
  operationId: 'patch_assistant_assistants__assistant_id__patch',
  tags,
  summary: 'Change an assistant: a new version, where anything changes',
  request: { params: AssistantPathSchema, body: body(AssistantPatchSchema) },
  responses: { 200: assistant, ...refusals(404, 422) },
})

const remove = createRoute({
  method: 'delete',
  path: '/assistants/{assistant_id}',
  operationId: 'delete_assistant_assistants__assistant_id__delete',
  tags,
  summary: 'Remove an assistant and stop its runs; a graph’s own assistant stays (409)',
  request: { params: AssistantPathSchema, query: DeleteAssistantQuerySchema },
  responses: {
    200: {
      description: 'The ids that were removed',
      content: { 'application/json': { schema: z.array(z.string()) } },
    },
    ...refusals(404, 409, 422),
  },
})

const versions = createRoute({
  method: 'post',
  path: '/assistants/{assistant_id}/versions',
  operationId: 'get_assistant_versions_assistants__assistant_id__versions_get',
  tags,
  summary: 'The versions of an assistant, newest first',
  request: { params: AssistantPathSchema, body: body(AssistantVersionsSchema) },
  responses: { 200: assistants('Versions', AssistantSchema), ...refusals(404, 422) },
})

const latest = createRoute({
  method: 'post',
  path: '/assistants/{assistant_id}/latest',
  operationId: 'set_latest_assistant_version_assistants__assistant_id__versions_post',
  tags,
  summary: 'Activate a version; its number is in the body or in the query',
  request: {
    params: AssistantPathSchema,
    query: VersionQuerySchema,
    body: body(VersionBodySchema),
  },
  responses: { 200: assistant, ...refusals(404, 422) },
})

export function assistantRoutes(parts: Parts) {
  const routes = createRoutes<AgentServerEnv>()
  routes.openapi(create, async (c) =>
    c.json(await createAssistant(parts, c.var.caller, given(c.req.valid('json'))), 200),
  )
  routes.openapi(search, async (c) => {
    const request = { ...FIRST_PAGE, ...NEWEST_FIRST, select: [], ...given(c.req.valid('json')) }
    const found = await searchAssistants(parts, c.var.caller, request)
    const { total, assistants: page } = found
    setPagination(c, { offset: request.offset, count: page.length, total })
    return c.json(page as z.infer<typeof AssistantSchema>[], 200)
  })
  routes.openapi(count, async (c) =>
    c.json(await countAssistants(parts, c.var.caller, given(c.req.valid('json'))), 200),
  )
  routes.openapi(get, async (c) => {
    const { assistant_id } = c.req.valid('param')
    return c.json(await getAssistant(parts, c.var.caller, assistant_id), 200)
  })
  routes.openapi(patch, async (c) => {
    const { assistant_id } = c.req.valid('param')
    const change = given(c.req.valid('json'))
    return c.json(await patchAssistant(parts, c.var.caller, assistant_id, change), 200)
  })
  routes.openapi(remove, async (c) => {
    const { assistant_id } = c.req.valid('param')
    const options = c.req.valid('query')
    return c.json([await deleteAssistant(parts, c.var.caller, assistant_id, options)], 200)
  })
  routes.openapi(versions, async (c) => {
    const { assistant_id } = c.req.valid('param')
    const page = { ...FIRST_PAGE, ...given(c.req.valid('json')) }
    return c.json(await listVersions(parts, c.var.caller, assistant_id, page), 200)
  })
  routes.openapi(latest, async (c) => {
    const { assistant_id } = c.req.valid('param')
    const version = c.req.valid('json').version ?? c.req.valid('query').version
    if (version === undefined) throw invalidField(['body', 'version'], 'Required.', 'missing')
    return c.json(await setLatestVersion(parts, c.var.caller, assistant_id, version), 200)
  })
  return routes
}

const FIRST_PAGE = { limit: 10, offset: 0 }
const NEWEST_FIRST = { sort_by: 'created_at', sort_order: 'desc' } as const
