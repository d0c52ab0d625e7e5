/** The operations on assistants and their versions. */

import { z } from '@hono/zod-openapi'
import { invalidField } from '../../core/errors.ts'
import { answerOf, selectionOf, sendAs } from '../../http/answer.ts'
import type { Parts } from '../agent-server-parts.ts'
import { given } from '../operations/given.ts'
import { AssistantPathSchema } from '../operations/ids.ts'
import { selectable } from '../operations/json.ts'
import {
  FIRST_PAGE,
  NEWEST_FIRST,
  PaginationHeadersSchema,
  setPagination,
} from '../operations/pagination.ts'
import { body, createRoutes, json, operationsOf } from '../operations/route.ts'
import { deleteAssistant } from './assistant-removal.ts'
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
} from './assistant-schemas.ts'
import {
  countAssistants,
  createAssistant,
  getAssistant,
  listVersions,
  patchAssistant,
  searchAssistants,
  setLatestVersion,
} from './assistants.ts'

const operation = operationsOf('Assistants')

const assistant = json(AssistantSchema, 'Assistant')

const create = operation('post', '/assistants', {
  name: 'create_assistant',
  summary: 'Add an assistant',
  request: { body: body(AssistantCreateSchema) },
  answers: { 200: assistant },
  refusals: [404, 409],
})

const search = operation('post', '/assistants/search', {
  name: 'search_assistants',
  summary: 'A page of assistants, newest first unless sorted otherwise',
  request: { body: body(AssistantSearchSchema) },
  answers: {
    200: {
      ...json(
        z.array(selectable(AssistantSchema, 'SelectedAssistant')),
        'With `select` each has the selected fields only',
      ),
      headers: PaginationHeadersSchema,
    },
  },
})

const count = operation('post', '/assistants/count', {
  name: 'count_assistants',
  summary: 'How many assistants there are',
  request: { body: body(AssistantCountSchema) },
  answers: { 200: json(z.int(), 'Count') },
})

const get = operation('get', '/assistants/{assistant_id}', {
  name: 'get_assistant',
  summary: 'An assistant, by its id or by the name of its graph',
  request: { params: AssistantPathSchema },
  answers: { 200: assistant },
  refusals: [404],
})

const patch = operation('patch', '/assistants/{assistant_id}', {
  name: 'patch_assistant',
  summary: 'Change an assistant: a new version, where anything changes',
  request: { params: AssistantPathSchema, body: body(AssistantPatchSchema) },
  answers: { 200: assistant },
  refusals: [404],
})

const remove = operation('delete', '/assistants/{assistant_id}', {
  name: 'delete_assistant',
  summary: 'Remove an assistant and stop its runs; a graph’s own assistant stays (409)',
  request: { params: AssistantPathSchema, query: DeleteAssistantQuerySchema },
  answers: { 200: json(z.array(z.string()), 'The ids that were removed') },
  refusals: [404, 409],
})

const versions = operation('post', '/assistants/{assistant_id}/versions', {
  id: 'get_assistant_versions_assistants__assistant_id__versions_get',
  summary: 'The versions of an assistant, newest first',
  request: { params: AssistantPathSchema, body: body(AssistantVersionsSchema) },
  answers: { 200: json(z.array(AssistantSchema), 'Versions') },
  refusals: [404],
})

const latest = operation('post', '/assistants/{assistant_id}/latest', {
  id: 'set_latest_assistant_version_assistants__assistant_id__versions_post',
  summary: 'Activate a version; its number is in the body or in the query',
  request: {
    params: AssistantPathSchema,
    query: VersionQuerySchema,
    body: body(VersionBodySchema),
  },
  answers: { 200: assistant },
  refusals: [404],
})

export function assistantRoutes(parts: Parts) {
  const routes = createRoutes()
  routes.openapi(create, async (c) =>
    sendAs(
      c,
      AssistantSchema,
      await createAssistant(parts, c.var.caller, given(c.req.valid('json'))),
    ),
  )
  routes.openapi(search, async (c) => {
    const { select, ...query } = given(c.req.valid('json'))
    const request = { ...FIRST_PAGE, ...NEWEST_FIRST, ...query }
    const { assistants, total } = await searchAssistants(parts, c.var.caller, request)
    setPagination(c, { offset: request.offset, count: assistants.length, total })
    const page = assistants.map((one) => selectionOf(AssistantSchema, one, select))
    return c.json(page, 200)
  })
  routes.openapi(count, async (c) =>
    c.json(await countAssistants(parts, c.var.caller, given(c.req.valid('json'))), 200),
  )
  routes.openapi(get, async (c) => {
    const { assistant_id } = c.req.valid('param')
    return sendAs(c, AssistantSchema, await getAssistant(parts, c.var.caller, assistant_id))
  })
  routes.openapi(patch, async (c) => {
    const { assistant_id } = c.req.valid('param')
    const change = given(c.req.valid('json'))
    return sendAs(
      c,
      AssistantSchema,
      await patchAssistant(parts, c.var.caller, assistant_id, change),
    )
  })
  routes.openapi(remove, async (c) => {
    const { assistant_id } = c.req.valid('param')
    const options = c.req.valid('query')
    return c.json([await deleteAssistant(parts, c.var.caller, assistant_id, options)], 200)
  })
  routes.openapi(versions, async (c) => {
    const { assistant_id } = c.req.valid('param')
    const page = { ...FIRST_PAGE, ...given(c.req.valid('json')) }
    const found = await listVersions(parts, c.var.caller, assistant_id, page)
    return c.json(
      found.map((one) => answerOf(AssistantSchema, one)),
      200,
    )
  })
  routes.openapi(latest, async (c) => {
    const { assistant_id } = c.req.valid('param')
    const version = c.req.valid('json').version ?? c.req.valid('query').version
    if (version === undefined) throw invalidField(['body', 'version'], 'Required.', 'missing')
    return sendAs(
      c,
      AssistantSchema,
      await setLatestVersion(parts, c.var.caller, assistant_id, version),
    )
  })
  return routes
}
