/**
 * JSON-RPC of the Agent2Agent protocol, version 1.0 or 0.3: reads requests, and converts the verbs' refusals to errors.
 */
import { isV1JsonRpcMethod } from '@a2a-js/sdk/compat/v0_3'
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import {
  A2AError,
  JsonRpcRequestMalformedError,
  RequestMalformedError,
  TaskNotFoundError,
  VersionNotSupportedError,
} from '@a2a-js/sdk/errors'
import {
  type A2ARequestHandler,
  JsonRpcTransportHandler,
  ServerCallContext,
} from '@a2a-js/sdk/server'
import { z } from 'zod'
import { AppError, ProjectRefusal } from '../../core/errors.ts'
import { parseJsonAt } from '../../core/exact-json.ts'
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'
import { JsonObjectSchema } from '../operations/json.ts'

/** A request, ready to be handled by the library in its version of the protocol. */
export interface Rpc {
  /** Empty: the request has no method. */
  method: string
  isStreaming: boolean
  /** Returns the envelope, errors included. A streaming method returns an iterable of envelopes unless it fails. */
  handle(handler: A2ARequestHandler): Promise<unknown>
  /** An error in an envelope. */
  refuse(error: unknown): JsonObject
}

const STREAMING = ['message/stream', 'tasks/resubscribe', 'SendStreamingMessage', 'SubscribeToTask']

/** Reads any body and the header `A2A-Version`. The method's name decides the version: they differ. */
export function readRpc(body: string, version: string | undefined): Rpc {
  const sent = parse(body)
  const request = isObject(sent) ? sent : {}
  const isCurrent = isV1JsonRpcMethod(request.method)
  const rpc = isCurrent ? currentRpc(request) : legacyRpc(request)
  const refusal = sent === undefined ? PARSE_ERROR : checkRequest(request, version)
  return refusal ? { ...rpc, handle: async () => rpc.refuse(refusal) } : rpc
}

/** Whether a client speaks version 1.0; without the header it speaks 0.3. */
export function isCurrentVersion(version: string | undefined): boolean {
  return /^1(\.\d+)*$/.test(version ?? '')
}

function currentRpc(request: JsonObject): Rpc {
  const method = methodOf(request)
  return {
    method,
    isStreaming: STREAMING.includes(method),
    handle: (handler) => new JsonRpcTransportHandler(handler).handle(request, callIn('1.0')),
    refuse: (error) => envelope(request, JsonRpcTransportHandler.mapToJSONRPCError(error)),
  }
}

function legacyRpc(request: JsonObject): Rpc {
  const method = methodOf(request)
  return {
    method,
    isStreaming: STREAMING.includes(method),
    async handle(handler) {
      const legacy = new LegacyJsonRpcTransportHandler(handler)
      const answer = await legacy.handle(withDefaults(request), callIn('0.3'))
      return Symbol.asyncIterator in answer ? finalized(answer) : answer
    },
    refuse: (error) =>
      envelope(request, LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error)),
  }
}

/** The protocol version of a request. Notifications of its task use the same one. */
function callIn(requestedVersion: string): ServerCallContext {
  return new ServerCallContext({ requestedVersion })
}

/** The method if it is a string, else an empty string, which the library refuses. */
function methodOf({ method }: JsonObject): string {
  return typeof method === 'string' ? method : ''
}

function envelope({ id }: JsonObject, error: object): JsonObject {
  const isId = typeof id === 'string' || Number.isInteger(id)
  return { jsonrpc: '2.0', id: isId ? (id as JsonValue) : null, error: error as JsonObject }
}

function parse(body: string): JsonValue | undefined {
  try {
    return parseJsonAt(body, ['params', 'message'])
  } catch {
    return undefined
  }
}

/** The library has no class for a parse error. */
const PARSE_ERROR = Object.assign(new RequestMalformedError('The body is not valid JSON.'), {
  transport: 'jsonrpc',
  envelopeCode: -32700,
})

/** Refuses parts that would crash the library. */
const Part = z
  .looseObject({
    text: z.string().optional(),
    raw: z.base64().optional(),
    url: z.string().optional(),
    file: z
      .looseObject({ bytes: z.base64().optional(), uri: z.string().optional() })
      .refine(({ bytes, uri }) => bytes !== undefined || uri !== undefined, 'give bytes or uri')
      .optional(),
    metadata: z.record(z.string(), z.unknown()).nullish(),
  })
  .refine(({ kind, text }) => kind !== 'text' || text !== undefined, 'a text part needs text')
  .refine(({ kind, file }) => kind !== 'file' || file !== undefined, 'a file part needs file')

const Text = z.string().nullish()

const Params = z.looseObject({
  id: Text,
  taskId: Text,
  contextId: Text,
  message: z.looseObject({ parts: z.array(Part), contextId: Text, taskId: Text }).optional(),
  configuration: z
    .looseObject({ historyLength: z.int().nullish(), blocking: z.boolean().nullish() })
    .nullish(),
  historyLength: z.int().nullish(),
})

function checkRequest(request: JsonObject, version: string | undefined): Error | undefined {
  if (version && !isCurrentVersion(version) && !/^0\.3(\.\d+)?$/.test(version)) {
    return new VersionNotSupportedError('The header A2A-Version must be 1.0 or 0.3.')
  }
  const { id, params } = request
  const isId = id === undefined || id === null || typeof id === 'string' || Number.isInteger(id)
  if (!isId) return new RequestMalformedError('id must be a string or an integer.')
  if (!isObject(params)) return undefined
  const deep = JsonObjectSchema.safeParse(params)
  const read = deep.success ? Params.safeParse(params) : deep
  if (read.success) return undefined
  const [issue] = read.error.issues
  const place = ['params', ...(issue?.path ?? [])].join('.')
  return new RequestMalformedError(`${place}: ${issue?.message}`)
}

/**
 * Adds the defaults of version 0.3 clients: without `blocking` they wait, since most never poll later.
 * Also accepts older names of the original server (`assistant`, `thread.threadId`, `taskId`).
 */
function withDefaults(request: JsonObject): JsonObject {
  const { params } = request
  if (!isObject(params)) return request
  const { message, configuration, thread, taskId } = params
  const asked = isObject(configuration) ? configuration : {}
  return {
    ...request,
    params: {
      ...params,
      ...(params.id === undefined && taskId !== undefined && { id: taskId }),
      ...(isObject(message) && { message: legacyMessage(message, thread) }),
      configuration: { ...asked, blocking: asked.blocking ?? true },
    },
  }
}

function legacyMessage(message: JsonObject, thread: JsonValue | undefined): JsonObject {
  const threadId = isObject(thread) ? thread.threadId : undefined
  return {
    ...message,
    ...(message.role === 'assistant' && { role: 'agent' }),
    ...(message.contextId === undefined && threadId !== undefined && { contextId: threadId }),
  }
}

/** Version 0.3 marks the last event of a stream. The library does so only if the task is over. */
async function* finalized(answers: AsyncIterable<object>): AsyncGenerator<object, void, undefined> {
  for await (const answer of answers) {
    const { result } = answer as { result?: { kind?: string; status?: { state?: string } } }
    const isLast = result?.kind === 'status-update' && result.status?.state === 'input-required'
    yield isLast ? { ...answer, result: { ...result, final: true } } : answer
  }
}

/** JSON-RPC's code for an invalid request. */
const INVALID_REQUEST = -32600

/** Throws only errors of the library. Logs any error that is not a refusal and throws it as internal. */
export async function asA2AErrors<T>(log: Log, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (err) {
    throw toA2AError(log, err)
  }
}

function toA2AError(log: Log, err: unknown): A2AError {
  if (err instanceof A2AError) return err
  if (err instanceof ProjectRefusal) return refused(err.message)
  if (!(err instanceof AppError) || err.code === 'internal') {
    log.error({ err }, 'a request of the Agent2Agent protocol failed')
    return new A2AError('Internal server error; the log says more.')
  }
  const { message, code } = err
  switch (code) {
    case 'not_found':
      return new TaskNotFoundError(message)
    case 'unavailable':
      return new A2AError(message)
    case 'forbidden':
    case 'unauthenticated':
      return refused(message)
    default:
      return new RequestMalformedError(message)
  }
}

function refused(message: string): A2AError {
  return new JsonRpcRequestMalformedError({ message, envelopeCode: INVALID_REQUEST })
}
