/** Runs on the wire. */
import { z } from '@hono/zod-openapi'
import {
  DEFAULT_MULTITASK_STRATEGY,
  MULTITASK_STRATEGIES,
} from '../../core/agent/multitask-strategy.ts'
import type { CheckpointRef, RunCommand, RunKwargs } from '../../core/agent/run.ts'
import { CANCEL_ACTIONS, RUN_STATUSES, STOP_OUTCOMES } from '../../core/agent/run.ts'
import { STREAM_MODES } from '../../core/agent/stream-mode.ts'
import { ConfigSchema } from '../assistants/assistant-schemas.ts'
import { AssistantIdSchema, UuidSchema } from '../operations/ids.ts'
import { JsonObjectSchema, JsonValueSchema, optional } from '../operations/json.ts'
import { FlagSchema, OffsetSchema, queryList } from '../operations/query.ts'

/** The longest delay of a run, in seconds: ten years. */
const MAX_AFTER_SECONDS = 10 * 366 * 86_400

const StreamModeSchema = z.enum(STREAM_MODES)

/** A node's name, or `{node, input}`. */
const GotoSchema = z.union([
  z.string(),
  z.looseObject({ node: z.string(), input: JsonValueSchema.optional() }),
])

const PairSchema = z.tuple([z.string(), JsonValueSchema]).openapi({ minItems: 2, maxItems: 2 })

const UpdateSchema = z.union([JsonObjectSchema, z.array(PairSchema)])

/** Replaces `input`. */
export const CommandSchema = z
  .object({
    update: optional(UpdateSchema).openapi({
      description: 'Values for the state before the graph goes on: by key, or a list of pairs.',
    }),
    resume: JsonValueSchema.optional().openapi({
      description: 'The answer to what the graph asked, or a map from the ids of interrupts.',
    }),
    goto: optional(z.union([GotoSchema, z.array(GotoSchema)])).openapi({
      description: 'Where to go on: a node by its name or with an input of its own, or several.',
    }),
  })
  .transform((command) => command as RunCommand)
  .openapi('Command')

export const CheckpointSchema = z
  .object({
    checkpoint_id: optional(z.string().min(1)),
    checkpoint_ns: optional(z.string()),
    checkpoint_map: optional(JsonObjectSchema),
  })
  .transform((checkpoint) => checkpoint as CheckpointRef)
  .openapi('CheckpointConfig')

const BreakpointsSchema = z.union([z.literal('*'), z.array(z.string())])

/** The types of the JavaScript SDK use `complete` for `delete`, and `continue` for `keep`. */
const OnCompletionSchema = optional(z.enum(['delete', 'keep', 'complete', 'continue'])).transform(
  (word) => word && (word === 'delete' || word === 'complete' ? 'delete' : 'keep'),
)

/** The fields of every operation that creates a run. Other fields are ignored. */
const runFields = {
  assistant_id: AssistantIdSchema,
  input: JsonValueSchema.optional().openapi({ description: 'Ignored where there is a command.' }),
  command: optional(CommandSchema),
  metadata: optional(JsonObjectSchema),
  config: optional(ConfigSchema),
  context: optional(JsonValueSchema),
  interrupt_before: optional(BreakpointsSchema),
  interrupt_after: optional(BreakpointsSchema),
  /** Default `["values"]`. */
  stream_mode: optional(z.union([StreamModeSchema, z.array(StreamModeSchema)])),
  stream_subgraphs: optional(z.boolean()),
  /** What happens to the run when the client of `/stream` or `/wait` leaves. Default `continue`. */
  on_disconnect: optional(z.enum(['cancel', 'continue'])),
  after_seconds: optional(z.number().min(0).max(MAX_AFTER_SECONDS)),
  durability: optional(z.enum(['sync', 'async', 'exit'])),
  checkpoint_during: optional(z.boolean()).openapi({
    deprecated: true,
    description: 'true: durability "async"; false: "exit". Ignored where durability is given.',
  }),
  stream_resumable: optional(z.boolean()).openapi({
    description: 'Kept with the run; every stream can be resumed for an hour after its run.',
  }),
  strict_resume: optional(z.boolean()).openapi({
    description:
      'Where `command.resume` answers an interrupt that is not open, or one answer could be for ' +
      'several, the run fails with `UnknownInterruptError` and its thread stays as it was.',
  }),
  webhook: optional(z.string().min(1).max(65_536)).openapi({
    format: 'uri-reference',
    pattern: '^(/|[hH][tT][tT][pP][sS]?:)',
    description:
      'Where the end of the run is posted: an http or https URL, or a path of this server that ' +
      'begins with "/".',
  }),
  feedback_keys: optional(z.array(z.string())).openapi({
    description: 'Kept with the run; there is no feedback service that would give URLs for them.',
  }),
  langsmith_tracer: optional(JsonObjectSchema).openapi({
    description:
      '`project_name` and `example_id` of LangSmith: where the trace goes, besides its usual place.',
  }),
}

/** The fields for a cron's runs. The cron decides their thread and time. */
export const cronRunFields = z
  .object({
    ...runFields,
    multitask_strategy: optional(z.enum(MULTITASK_STRATEGIES)).openapi({
      default: DEFAULT_MULTITASK_STRATEGY,
    }),
  })
  .omit({
    assistant_id: true,
    metadata: true,
    command: true,
    strict_resume: true,
    on_disconnect: true,
    after_seconds: true,
    feedback_keys: true,
    langsmith_tracer: true,
  }).shape

export const RunCreateStatefulSchema = z
  .object({
    ...runFields,
    checkpoint: optional(CheckpointSchema),
    checkpoint_id: optional(z.string().min(1)),
    multitask_strategy: optional(z.enum(MULTITASK_STRATEGIES)).openapi({
      default: DEFAULT_MULTITASK_STRATEGY,
    }),
    if_not_exists: optional(z.enum(['reject', 'create'])),
  })
  .openapi('RunCreateStateful')

export const RunCreateStatelessSchema = z
  .object({
    ...runFields,
    /** Whether the run's thread is removed after the run. Default `delete`. */
    on_completion: OnCompletionSchema,
  })
  .openapi('RunCreateStateless')

export const RunBatchCreateSchema = z
  .array(RunCreateStatelessSchema)
  .min(1)
  .openapi('RunBatchCreate')

export const RunCreateHeadersSchema = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .openapi({
      description:
        'A text of your choice. For 24 hours a repeat with the same key, thread and caller creates ' +
        'no run but answers, joins or streams the first one. With another body: 422.',
    }),
})

export type RunCreate = z.infer<typeof RunCreateStatefulSchema> &
  Partial<z.infer<typeof RunCreateStatelessSchema>>

export const ExcerptSchema = z
  .object({
    first: z.string().nullable(),
    last: z.string().nullable(),
    question: z.string().nullable(),
    input_tokens: z.int().nullable(),
    output_tokens: z.int().nullable(),
  })
  .openapi('Excerpt', {
    description:
      "Short texts for a list: a thread's first and last message and its open question; what a run was given, has said " +
      "last, and asked. Tokens as the thread's messages count them, or the models of the run's last attempt.",
  })

export const RunSchema = z
  .object({
    run_id: z.string().openapi({ format: 'uuid' }),
    thread_id: z.string().openapi({ format: 'uuid' }),
    assistant_id: z.string().openapi({ format: 'uuid' }),
    created_at: z.string().openapi({ format: 'date-time' }),
    updated_at: z.string().openapi({ format: 'date-time' }),
    status: z.enum(RUN_STATUSES),
    metadata: JsonObjectSchema,
    kwargs: z.custom<RunKwargs>((value) => value !== undefined).openapi({ type: 'object' }),
    multitask_strategy: z.enum(MULTITASK_STRATEGIES),
    attempt: z
      .int()
      .min(0)
      .openapi({
        description:
          'How often the run was begun: 0 before the first time, and once more whenever its server ' +
          'was lost. A server that is stopped hands it on without counting.',
      }),
    cancel_reason: z
      .string()
      .nullable()
      .openapi({
        description:
          'Why the run was cancelled: a word (requested, taken, superseded, disconnected, ' +
          'assistant_deleted), a colon, a sentence. null: it was not cancelled.',
      }),
    stop_outcome: z
      .enum(STOP_OUTCOMES)
      .nullable()
      .openapi({
        description:
          'What the graph did when the run was told to stop (cancelled, or out of time): "stopped", ' +
          'its nodes have ended; "cut_off", they ignored their signal, and nothing that they still ' +
          'do is written. null: it was not told to, or had not begun.',
      }),
    langsmith_session_name: z.string().nullable().optional().openapi({
      description:
        'The LangSmith project of its trace. null: the server did not trace when the run was made.',
    }),
  })
  .openapi('Run')

export const RunListQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(10),
  offset: OffsetSchema,
  status: z.enum(RUN_STATUSES).optional(),
  select: queryList(RunSchema.keyof()).optional().openapi({ description: 'Only these fields.' }),
})

const ActionSchema = z.enum(CANCEL_ACTIONS).default('interrupt').openapi({
  description: 'interrupt: what the run wrote stays. rollback: the run goes, with what it wrote.',
})

export const CancelQuerySchema = z
  .object({
    wait: FlagSchema,
    action: ActionSchema,
    reason: z.enum(['taken']).optional(),
  })
  .refine(({ action, reason }) => !reason || action === 'interrupt', {
    path: ['reason'],
    error:
      'A reason goes with action=interrupt only: a rollback removes the run that would say it.',
  })

export const CancelManyQuerySchema = z.object({ action: ActionSchema })

const NONE = { type: 'null' } as const

/** All runs with a status, or some runs of one thread. */
export const RunsCancelSchema = z
  .object({
    status: optional(z.enum(['pending', 'running', 'all'])),
    thread_id: optional(UuidSchema),
    run_ids: optional(z.array(UuidSchema)),
  })
  .transform(({ status, thread_id, run_ids }, context) => {
    if (status && !thread_id && !run_ids) return { status }
    if (!status && thread_id && run_ids) return { thread_id, run_ids }
    context.addIssue('Give either status, or both thread_id and run_ids.')
    return z.NEVER
  })
  .openapi('RunsCancel', {
    anyOf: [
      {
        required: ['status'],
        properties: { status: { type: 'string' }, thread_id: NONE, run_ids: NONE },
      },
      {
        required: ['thread_id', 'run_ids'],
        properties: { status: NONE, thread_id: { type: 'string' }, run_ids: { type: 'array' } },
      },
    ],
  })

export const JoinQuerySchema = z.object({ cancel_on_disconnect: FlagSchema })

const NamespacesSchema = queryList(z.string())
  .optional()
  .openapi({
    description:
      'Only events of these namespaces and of their subgraphs, without the sub-agents that they start: `child` or ' +
      '`child:<task>|inner`; empty: the root graph.',
  })

/** The query of a stream that begins with its run. */
export const NewStreamQuerySchema = z.object({ namespace: NamespacesSchema })

export const StreamQuerySchema = z.object({
  cancel_on_disconnect: FlagSchema,
  /** Only events of these modes; default: all that the run was created with. */
  stream_mode: queryList(StreamModeSchema).optional(),
  namespace: NamespacesSchema,
  checkpoint_id: z
    .string()
    .min(1)
    .optional()
    .openapi({
      description:
        'The checkpoint whose state the client shows: the stream begins after what the run had written by then; with a ' +
        'checkpoint that is not the run’s, at its beginning. A Last-Event-ID other than -1 comes first.',
    }),
})

export const StreamHeadersSchema = z.object({
  'last-event-id': z.string().optional().openapi({ pattern: '^(-1?|[0-9]{1,15})$' }),
})
