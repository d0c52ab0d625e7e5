/** `/a2a/{assistant_id}`: the Agent2Agent protocol, versions 1.0 and 0.3, as JSON-RPC; and the cards. */

import { z } from '@hono/zod-openapi'
import type { AppConfig, Parts } from '../agent-server-parts.ts'
import { AssistantIdSchema, AssistantPathSchema } from '../operations/ids.ts'
import { JsonObjectSchema, JsonValueSchema } from '../operations/json.ts'
import { createRoutes, operationsOf, rpcOperationsOf } from '../operations/route.ts'

const operation = operationsOf('A2A')
const card = { 'application/json': { schema: JsonObjectSchema } }
const CARD_ANSWER = {
  description:
    'The card, as the version of the protocol in the header A2A-Version has it; without the header ' +
    'with the fields of both versions',
  content: card,
}
const versionHeader = z.object({ 'a2a-version': z.string().optional() })
const WELL_KNOWN = '/.well-known/agent-card.json'

const getCard = operation('get', WELL_KNOWN, {
  id: 'get_agent_card',
  summary: "An assistant's card; without `assistant_id` that of the project's first graph",
  request: {
    query: z.object({ assistant_id: AssistantIdSchema.optional() }),
    headers: versionHeader,
  },
  answers: { 200: CARD_ANSWER },
  refusals: [400, 404],
})

const ASSISTANT_CARD = {
  request: { params: AssistantPathSchema, headers: versionHeader },
  answers: { 200: CARD_ANSWER },
  refusals: [400, 404],
} as const

const getAssistantCard = operation('get', `/a2a/{assistant_id}${WELL_KNOWN}`, {
  id: 'get_assistant_agent_card',
  summary: "An assistant's card",
  ...ASSISTANT_CARD,
})

/** The address that clients of version 0.2 use. */
const getAssistantCardOfOld = operation('get', '/a2a/{assistant_id}/.well-known/agent.json', {
  id: 'get_assistant_agent_card_of_old',
  summary: "An assistant's card, at its older address",
  ...ASSISTANT_CARD,
})

const LEGACY_METHODS = [
  'message/send',
  'message/stream',
  'tasks/get',
  'tasks/cancel',
  'tasks/resubscribe',
  'tasks/pushNotificationConfig/set',
  'tasks/pushNotificationConfig/get',
  'tasks/pushNotificationConfig/list',
  'tasks/pushNotificationConfig/delete',
  'agent/getAuthenticatedExtendedCard',
] as const

const METHODS = [
  'SendMessage',
  'SendStreamingMessage',
  'GetTask',
  'ListTasks',
  'CancelTask',
  'SubscribeToTask',
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
  'GetExtendedAgentCard',
] as const

const RpcRequestSchema = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.int(), z.null()]).optional(),
    method: z.enum([...LEGACY_METHODS, ...METHODS]),
    params: JsonObjectSchema.optional(),
  })
  .openapi('A2ARequest')

const RpcAnswerSchema = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.int(), z.null()]),
    result: JsonObjectSchema.optional(),
    error: z
      .object({ code: z.int(), message: z.string(), data: JsonValueSchema.optional() })
      .optional(),
  })
  .openapi('A2AAnswer')

const post = rpcOperationsOf('A2A')('post', '/a2a/{assistant_id}', {
  id: 'post_a2a',
  summary: 'A request of the Agent2Agent protocol',
  description:
    'In the methods of version 0.3 (message/send) and 1.0 (SendMessage). A context is a thread, a ' +
    'task is a run; a run that stops to ask something is a task in input-required, which a message ' +
    'with its taskId goes on with.',
  request: {
    params: AssistantPathSchema,
    headers: versionHeader.extend({
      accept: z.string().optional(),
      'idempotency-key': z.string().optional(),
    }),
    body: { content: { 'application/json': { schema: RpcRequestSchema } }, required: true },
  },
  answers: {
    200: {
      description: 'The answer, or an error of JSON-RPC; a stream of answers for streaming methods',
      content: {
        'application/json': { schema: RpcAnswerSchema },
        'text/event-stream': { schema: z.string() },
      },
    },
  },
  refusals: [404],
})

/** The protocol's library takes long to load and many servers never use it, so the first request loads it. */
export function a2aRoutes(parts: Parts, settings: AppConfig) {
  const routes = createRoutes()
  routes.openAPIRegistry.registerPath(post)
  routes.openapi(getCard, async (c) => {
    const { assistant_id } = c.req.valid('query')
    const { answerCard } = await import('./a2a-answers.ts')
    return (await answerCard(c, parts, settings, assistant_id)) as never
  })
  for (const route of [getAssistantCard, getAssistantCardOfOld]) {
    routes.openapi(route, async (c) => {
      const { assistant_id } = c.req.valid('param')
      const { answerCard } = await import('./a2a-answers.ts')
      return (await answerCard(c, parts, settings, assistant_id)) as never
    })
  }
  routes.post('/a2a/:assistant_id', async (c) => {
    const { answerRequest } = await import('./a2a-answers.ts')
    return answerRequest(c, parts, settings)
  })
  return routes
}
