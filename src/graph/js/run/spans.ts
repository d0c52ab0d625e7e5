/** Spans of nodes, models and tools, from LangChain's callbacks, for the run's timeline. */
import { pathToFileURL } from 'node:url'
import {
  CUT_OFF,
  TIMELINE_LIMITS,
  type TimelineSpan,
} from '../../../core/agent/timeline/timeline.ts'
import { withSources } from '../../../core/named-sources.ts'
import { HIDDEN_TAG } from '../langgraph/graph.ts'
import { toWire } from '../langgraph/wire.ts'
import type { NodeEnd, NodeWatcher } from '../patches/node-work.ts'

type Metadata = Record<string, unknown> | undefined

interface Serialized {
  id?: string[]
  name?: string
}

/** The parts of a LangChain message that are read here. */
interface CountedMessage {
  usage_metadata?: { input_tokens?: number; output_tokens?: number }
}

interface ModelOutput {
  generations?: { message?: CountedMessage; text?: string }[][]
  llmOutput?: { tokenUsage?: { promptTokens?: number; completionTokens?: number } }
}

/**
 * The spans of one run. Function nodes are tracked at their call, and only what they call gets callbacks: LangChain's
 * take a tenth of the time of a short run. If a graph has other nodes (a model by itself), all of it gets them.
 */
export class RunSpans implements NodeWatcher {
  readonly #tell: (spans: readonly TimelineSpan[]) => void
  readonly #now: () => number
  readonly #open = new Map<string, TimelineSpan>()
  readonly #handler: object
  #last = 0

  /** `tell`: see `RunCalls`. */
  constructor(tell: (spans: readonly TimelineSpan[]) => void, now: () => number = Date.now) {
    this.#tell = tell
    this.#now = now
    this.#handler = this.#createHandler({ ignoreChain: true })
  }

  onNode(name: string, metadata: Record<string, unknown>): NodeEnd {
    this.#last += 1
    const id = `node-${this.#last}`
    this.#begin(spanOf(id, 'node', name, metadata, this.#now()))
    return (failure) => this.#end(id, failure ? failureOf(failure.thrown) : {})
  }

  /** LangChain's `callbacks` are a list, or a manager of them that hands them on. */
  callbacksOf(callbacks: unknown): unknown {
    if (Array.isArray(callbacks)) return [...callbacks, this.#handler]
    return isManager(callbacks) ? callbacks.copy([this.#handler]) : [this.#handler]
  }

  /** A handler that sees nodes too, for the whole of a graph. */
  handlerOfAll(): object {
    return this.#createHandler({ ignoreChain: false })
  }

  #begin(span: TimelineSpan): void {
    this.#open.set(span.span_id, span)
    this.#tell([span])
  }

  #change(id: string, more: Partial<TimelineSpan>): void {
    const span = this.#open.get(id)
    if (!span) return
    const changed = { ...span, ...more }
    if (changed.ended_at === null) this.#open.set(id, changed)
    else this.#open.delete(id)
    this.#tell([changed])
  }

  #end(id: string, more: Partial<TimelineSpan> = {}): void {
    this.#change(id, { status: 'success', ended_at: this.#now(), ...more })
  }

  /** A callback handler, as LangChain's configs take it. */
  #createHandler({ ignoreChain }: { ignoreChain: boolean }): object {
    const fail = (thrown: unknown, id: string) => {
      if (this.#open.has(id)) this.#end(id, failureOf(thrown))
    }
    const now = this.#now
    return {
      name: 'runyard_timeline',
      awaitHandlers: true,
      ignoreChain,
      ignoreRetriever: true,
      handleChainStart: (...[, , id, , tags, metadata, , name]: ChainArguments) => {
        if (name === undefined || name !== metadata?.langgraph_node) return
        if (!tags?.includes(HIDDEN_TAG)) this.#begin(spanOf(id, 'node', name, metadata, now()))
      },
      handleChainEnd: (_outputs: unknown, id: string) => this.#end(id),
      handleChainError: fail,
      handleChatModelStart: (...[model, asked, id, , , , metadata, name]: ModelArguments) => {
        const span = modelSpan(id, model, metadata, name, now())
        this.#begin({ ...span, input: tailOf(asked[0] ?? []) })
      },
      handleLLMStart: (...[model, asked, id, , , , metadata, name]: ModelArguments) => {
        this.#begin({ ...modelSpan(id, model, metadata, name, now()), input: textOf(asked[0]) })
      },
      handleLLMNewToken: (...[, , id]: [unknown, unknown, string]) => {
        if (this.#open.get(id)?.first_token_at !== undefined) return
        this.#change(id, { first_token_at: now() })
      },
      handleLLMEnd: (output: ModelOutput, id: string) => this.#end(id, answerOf(output)),
      handleLLMError: fail,
      handleToolStart: (...[tool, input, id, , , metadata, name, call]: ToolArguments) => {
        this.#begin({
          ...spanOf(id, 'tool', name ?? nameOf(tool) ?? 'tool', metadata, now()),
          ...(call !== undefined && { tool_call_id: call }),
          input: cut(input),
        })
      },
      handleToolEnd: (output: unknown, id: string) => this.#end(id, { output: textOf(output) }),
      handleToolError: fail,
    }
  }
}

/** LangChain's manager of callbacks, of whichever copy. */
function isManager(value: unknown): value is { copy(handlers: object[]): unknown } {
  return typeof (value as { copy?: unknown } | null | undefined)?.copy === 'function'
}

// LangChain's order of arguments.
type ChainArguments = [
  chain: unknown,
  inputs: unknown,
  run_id: string,
  parent_run_id?: string,
  tags?: string[],
  metadata?: Metadata,
  run_type?: string,
  name?: string,
]
type ModelArguments = [
  model: Serialized | undefined,
  asked: unknown[][],
  run_id: string,
  parent_run_id?: string,
  parameters?: object,
  tags?: string[],
  metadata?: Metadata,
  name?: string,
]
export type ToolArguments = [
  tool: Serialized | undefined,
  input: string,
  run_id: string,
  parent_run_id?: string,
  tags?: string[],
  metadata?: Metadata,
  name?: string,
  tool_call_id?: string,
]

function spanOf(
  span_id: string,
  kind: TimelineSpan['kind'],
  name: string,
  metadata: Metadata,
  started_at: number,
): TimelineSpan {
  const { langgraph_checkpoint_ns: place, langgraph_step: step } = metadata ?? {}
  const namespace = typeof place === 'string' && place !== '' ? place.split('|') : []
  return {
    ...{ span_id, kind, name, namespace },
    step: typeof step === 'number' ? step : null,
    started_at,
    ended_at: null,
    status: 'running',
  }
}

function modelSpan(
  run_id: string,
  model: Serialized | undefined,
  metadata: Metadata,
  name: string | undefined,
  at: number,
): TimelineSpan {
  const asked = metadata?.ls_model_name
  const span = spanOf(run_id, 'model', name ?? nameOf(model) ?? 'model', metadata, at)
  return typeof asked === 'string' ? { ...span, model: asked } : span
}

/** The name of the component's class. */
function nameOf(serialized: Serialized | undefined): string | undefined {
  return serialized?.name ?? serialized?.id?.at(-1)
}

function answerOf({ generations, llmOutput }: ModelOutput): Partial<TimelineSpan> {
  const first = generations?.[0]?.[0]
  const counted = first?.message?.usage_metadata
  const input_tokens = counted?.input_tokens ?? llmOutput?.tokenUsage?.promptTokens
  const output_tokens = counted?.output_tokens ?? llmOutput?.tokenUsage?.completionTokens
  return {
    ...(first && { output: textOf(first.message ?? first.text) }),
    ...(typeof input_tokens === 'number' && { input_tokens }),
    ...(typeof output_tokens === 'number' && { output_tokens }),
  }
}

/** LangGraph ends nodes by throwing when they interrupt, or hand over to the graph around theirs. */
function failureOf(thrown: unknown): Partial<TimelineSpan> {
  if (typeof thrown !== 'object' || thrown === null) {
    return { status: 'error', error: { error: 'Error', message: cut(String(thrown)) } }
  }
  const { name, message, stack, interrupts } = thrown as Record<string, unknown>
  if (name === 'ParentCommand') return {}
  if (name === 'AbortError') return { status: 'interrupted' }
  if (Array.isArray(interrupts)) return { status: 'interrupted', interrupts: textOf(interrupts) }
  const told = {
    error: typeof name === 'string' ? cut(name) : 'Error',
    message: typeof message === 'string' ? cut(message) : textOf(message ?? thrown),
  }
  const where = typeof stack === 'string' && { stack: cut(withoutOwn(withSources(stack))) }
  return { status: 'error', error: { ...told, ...where } }
}

/** The server's own files, also in a bundle: their stack frames do not help the node's author. */
const OWN = [new URL('../../../', import.meta.url), pathToFileURL(`${import.meta.dirname}/`)]

function withoutOwn(stack: string): string {
  const lines = stack.split('\n')
  const isOwn = (line: string) => OWN.some(({ href }) => line.includes(href))
  return lines.filter((line) => !isOwn(line) || line.includes('node_modules')).join('\n')
}

/** The last messages, as many as there is room for. */
function tailOf(messages: readonly unknown[]): string {
  const texts: string[] = []
  let room: number = TIMELINE_LIMITS.chars
  for (const message of messages.toReversed()) {
    const text = textOf(message)
    room -= text.length
    if (room < 0 && texts.length > 0) break
    texts.unshift(text)
  }
  const omitted = messages.length - texts.length
  if (omitted > 0) texts.unshift(JSON.stringify({ type: 'omitted', count: omitted }))
  return `[${texts.join(',')}]`
}

function textOf(value: unknown): string {
  return cut(JSON.stringify(toWire(value)))
}

function cut(text: string): string {
  const { chars } = TIMELINE_LIMITS
  return text.length > chars ? text.slice(0, chars) + CUT_OFF : text
}
