/** The operations on crons. */

import { z } from '@hono/zod-openapi'
import type { JsonObject } from '../../core/json.ts'
import { selectionOf, sendAs } from '../../http/answer.ts'
import type { Parts } from '../agent-server-parts.ts'
import { given } from '../operations/given.ts'
import { ThreadPathSchema } from '../operations/ids.ts'
import { selectable } from '../operations/json.ts'
import {
  FIRST_PAGE,
  NEWEST_FIRST,
  PaginationHeadersSchema,
  setPagination,
} from '../operations/pagination.ts'
import { body, createRoutes, json, operationsOf } from '../operations/route.ts'
import { runOnWire } from '../runs/run-on-wire.ts'
import { RunSchema } from '../runs/run-schemas.ts'
import {
  CronCountSchema,
  CronCreateSchema,
  CronPatchSchema,
  CronPathSchema,
  CronSchema,
  CronSearchSchema,
  ThreadCronCreateSchema,
} from './cron-schemas.ts'
import {
  type CronPatch,
  countCrons,
  createCron,
  deleteCron,
  getCron,
  patchCron,
  runCron,
  searchCrons,
} from './crons.ts'

const operation = operationsOf('Crons')

const cron = json(CronSchema, 'Cron')

const createOnThread = operation('post', '/threads/{thread_id}/runs/crons', {
  name: 'create_thread_cron',
  summary: 'Add a cron whose runs join the line of a thread',
  request: { params: ThreadPathSchema, body: body(ThreadCronCreateSchema) },
  answers: { 200: cron },
  refusals: [404],
})

const create = operation('post', '/runs/crons', {
  name: 'create_cron',
  summary: 'Add a cron each of whose runs has a thread of its own',
  request: { body: body(CronCreateSchema) },
  answers: { 200: cron },
  refusals: [404],
})

const search = operation('post', '/runs/crons/search', {
  id: 'search_crons_runs_crons_post',
  summary: 'A page of crons, the one made last first unless sorted otherwise',
  request: { body: body(CronSearchSchema) },
  answers: {
    200: {
      description: 'With `select` each has the selected fields only',
      content: { 'application/json': { schema: z.array(selectable(CronSchema, 'SelectedCron')) } },
      headers: PaginationHeadersSchema,
    },
  },
})

const count = operation('post', '/runs/crons/count', {
  name: 'count_crons',
  summary: 'How many crons there are',
  request: { body: body(CronCountSchema) },
  answers: { 200: json(z.int(), 'Count') },
})

const get = operation('get', '/runs/crons/{cron_id}', {
  name: 'get_cron',
  summary: 'A cron',
  request: { params: CronPathSchema },
  answers: { 200: cron },
  refusals: [404],
})

const patch = operation('patch', '/runs/crons/{cron_id}', {
  name: 'patch_cron',
  summary: 'Change a cron; its next run is computed from now',
  request: { params: CronPathSchema, body: body(CronPatchSchema) },
  answers: { 200: cron },
  refusals: [404],
})

/** An operation of Runyard only. */
const runNow = operation('post', '/runs/crons/{cron_id}/run', {
  name: 'run_cron',
  summary: 'Start a run of a cron now; its schedule stays',
  request: { params: CronPathSchema },
  answers: { 200: json(RunSchema, 'Run') },
  refusals: [404, 409, 429],
})

const remove = operation('delete', '/runs/crons/{cron_id}', {
  name: 'delete_cron',
  summary: 'Remove a cron; runs that it has asked for go on',
  request: { params: CronPathSchema },
  answers: { 204: { description: 'Removed' } },
  refusals: [404],
})

export function cronRoutes(parts: Parts) {
  const routes = createRoutes()
  routes.openapi(createOnThread, async (c) => {
    const { thread_id } = c.req.valid('param')
    const request = cronRequest(c.req.valid('json'))
    const ofThread = { ...request, thread_id, on_run_completed: null }
    return sendAs(c, CronSchema, await createCron(parts, c.var.caller, ofThread))
  })
  routes.openapi(create, async (c) => {
    const { on_run_completed = 'delete', ...rest } = c.req.valid('json')
    const request = { ...cronRequest(rest), thread_id: null, on_run_completed }
    return sendAs(c, CronSchema, await createCron(parts, c.var.caller, request))
  })
  routes.openapi(search, async (c) => {
    const { select, ...query } = given(c.req.valid('json'))
    const request = { ...FIRST_PAGE, ...NEWEST_FIRST, ...query }
    const { crons, total } = await searchCrons(parts, c.var.caller, request)
    setPagination(c, { offset: request.offset, count: crons.length, total })
    return c.json(
      crons.map((cron) => selectionOf(CronSchema, cron, select)),
      200,
    )
  })
  routes.openapi(count, async (c) =>
    c.json(await countCrons(parts, c.var.caller, given(c.req.valid('json'))), 200),
  )
  routes.openapi(get, async (c) =>
    sendAs(c, CronSchema, await getCron(parts, c.var.caller, c.req.valid('param').cron_id)),
  )
  routes.openapi(patch, async (c) => {
    const { cron_id } = c.req.valid('param')
    const change = cronPatch(c.req.valid('json'))
    return sendAs(c, CronSchema, await patchCron(parts, c.var.caller, cron_id, change))
  })
  routes.openapi(runNow, async (c) => {
    const { cron_id } = c.req.valid('param')
    return c.json(runOnWire(await runCron(parts, c.var.caller, cron_id)), 200)
  })
  routes.openapi(remove, async (c) => {
    await deleteCron(parts, c.var.caller, c.req.valid('param').cron_id)
    return c.body(null, 204)
  })
  return routes
}

type CronBody = Omit<z.infer<typeof ThreadCronCreateSchema>, 'multitask_strategy'>

/** Separates the fields of the cron itself from those of its runs. */
function cronRequest(sent: CronBody) {
  const { schedule, assistant_id, timezone, end_time, metadata, enabled, ...payload } = sent
  return {
    schedule,
    assistant_id,
    timezone: timezone ?? null,
    end_time: end_time ?? null,
    metadata: metadata ?? {},
    enabled: enabled ?? true,
    payload: given(payload) as JsonObject,
  }
}

function cronPatch(sent: z.infer<typeof CronPatchSchema>): CronPatch {
  const { schedule, timezone, end_time, metadata, enabled, on_run_completed, ...payload } = sent
  const fields = { schedule, timezone, end_time, metadata, enabled, on_run_completed }
  return { ...given(fields), payload: given(payload) as JsonObject }
}
