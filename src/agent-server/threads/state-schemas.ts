/** A thread's state and its history on the wire. */
import { z } from '@hono/zod-openapi'
import type { ThreadState } from '../../core/agent/thread.ts'
import { isObject } from '../../core/json.ts'
import { answerOf } from '../../http/answer.ts'
import { fieldsWhere } from '../operations/given.ts'
import { UuidSchema } from '../operations/ids.ts'
import {
  JsonObjectSchema,
  JsonValueSchema,
  NullableJsonObjectSchema,
  optional,
} from '../operations/json.ts'
import { FlagSchema, queryList } from '../operations/query.ts'
import { CheckpointSchema } from '../runs/run-schemas.ts'
import { InterruptSchema, StateValuesSchema } from './thread-schemas.ts'

/** One task of a state; `state` is a `ThreadState` of a subgraph or `null`. */
const ThreadTaskSchema = z.object({
  id: z.string(),
  name: z.string(),
  error: z.string().nullable(),
  interrupts: z.array(InterruptSchema),
  checkpoint: NullableJsonObjectSchema,
  state: z.unknown().openapi({ type: ['object', 'null'] }),
  result: JsonValueSchema,
  path: JsonValueSchema.optional(),
})

export const ThreadStateSchema = z
  .object({
    values: JsonValueSchema,
    next: z.array(z.string()),
    tasks: z.array(ThreadTaskSchema),
    checkpoint: NullableJsonObjectSchema,
    metadata: NullableJsonObjectSchema,
    created_at: z.string().nullable(),
    parent_checkpoint: NullableJsonObjectSchema,
    interrupts: z.array(InterruptSchema),
  })
  .openapi('ThreadState')

/** Begins the selection of one key of the values. */
const VALUE_PREFIX = 'values.'

const StateValueSchema = z
  .string()
  .regex(/^values\.[\s\S]/, 'Expected a field of the state, or "values." and a key of its values.')
  .transform((text) => text as `${typeof VALUE_PREFIX}${string}`)

const StateFieldSchema = z.union([ThreadStateSchema.keyof(), StateValueSchema]).openapi({
  description: 'A field; or `values.<key>` for one key of the values.',
})

export const StateQuerySchema = z.object({
  subgraphs: FlagSchema,
  select: queryList(StateFieldSchema).optional(),
})

/** `subgraphs` in the body overrides this one. */
export const StateAtQuerySchema = z.object({ subgraphs: FlagSchema })

export const StatePathSchema = z.object({
  thread_id: UuidSchema,
  checkpoint_id: z.string().min(1),
})

export const StateAtSchema = z
  .object({
    checkpoint: CheckpointSchema,
    subgraphs: optional(z.boolean()).openapi({ default: false }),
    select: optional(z.array(StateFieldSchema)),
  })
  .openapi('ThreadStateCheckpointRequest')

export const StateUpdateSchema = z
  .object({
    values: StateValuesSchema.optional(),
    checkpoint: optional(CheckpointSchema),
    checkpoint_id: optional(z.string().min(1)).openapi({
      description: 'An older form of `checkpoint`.',
    }),
    as_node: optional(z.string()).openapi({
      description: 'The node that is taken to have answered the values. Default: the last one.',
    }),
  })
  .openapi('ThreadStateUpdate')

export const StateUpdateResponseSchema = z
  .object({ checkpoint: JsonObjectSchema, configurable: JsonObjectSchema })
  .openapi('ThreadStateUpdateResponse')

export const StatePatchSchema = z
  .object({ metadata: optional(JsonObjectSchema) })
  .openapi('ThreadStatePatch')

export const HistoryQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(10),
  before: z.string().min(1).optional(),
  select: queryList(StateFieldSchema).optional(),
})

const IdSchema = z.object({ checkpoint_id: optional(z.string().min(1)) })

/**
 * A checkpoint's id: alone, in a checkpoint, or in a config as LangGraph returns it. An object without
 * an id means no bound.
 */
const BeforeSchema = z
  .union([
    z.string().min(1),
    IdSchema.extend({ configurable: optional(IdSchema) }).transform(
      (at) => at.configurable?.checkpoint_id ?? at.checkpoint_id,
    ),
  ])
  .openapi({ description: 'A checkpoint, or its id: only older ones are answered.' })

export const HistorySearchSchema = z
  .object({
    limit: optional(z.int().min(1).max(1000)).openapi({ default: 1 }),
    before: optional(BeforeSchema),
    metadata: optional(JsonObjectSchema),
    checkpoint: optional(CheckpointSchema).openapi({
      description: 'With `checkpoint_ns`: the history of that subgraph.',
    }),
    select: optional(z.array(StateFieldSchema)),
  })
  .openapi('ThreadStateSearch')

/** A field, or `values.<key>` for one key of the values. */
export type StateSelection = keyof ThreadState | `${typeof VALUE_PREFIX}${string}`

/**
 * The state with only these fields, although its type promises all of them. An empty `select` returns
 * all. A key that the values do not have is left out.
 */
export function selectFields(state: ThreadState, select: StateSelection[] = []): ThreadState {
  if (select.length === 0) return answerOf(ThreadStateSchema, state) as ThreadState
  const fields = select.filter((one) => !isKey(one)) as (keyof ThreadState)[]
  const keys = select.filter(isKey).map((one) => one.slice(VALUE_PREFIX.length))
  const selected = Object.fromEntries(fields.map((field) => [field, state[field]]))
  const { values: all } = state
  const some = isObject(all) ? fieldsWhere(all, (key) => keys.includes(key)) : {}
  const values = keys.length > 0 && { values: some }
  return { ...values, ...selected } as unknown as ThreadState
}

function isKey(selection: StateSelection): boolean {
  return selection.startsWith(VALUE_PREFIX)
}
