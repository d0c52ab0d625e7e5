/**
 * Where the time of a run went: its attempts, and in each the nodes, models and tools that were at work. Kept for every
 * run with any stream modes, and bounded: see `TIMELINE_LIMITS`.
 */

/** What is at work. `node`: a function of the graph, or of one of its subgraphs. */
export const SPAN_KINDS = ['node', 'model', 'tool'] as const
type SpanKind = (typeof SPAN_KINDS)[number]

/** `interrupted`: the node stopped at an interrupt, or was asked to stop. */
export const SPAN_STATUSES = ['running', 'success', 'error', 'interrupted'] as const
type SpanStatus = (typeof SPAN_STATUSES)[number]

/** Limits for each attempt; `chars` of each text (input, output, stack), `totalChars` of all its texts together. */
export const TIMELINE_LIMITS = { spans: 1_000, chars: 8_192, totalChars: 524_288 } as const

/** Marks the end of a text that was cut off. */
export const CUT_OFF = ' …'

/** Times in ms since 1970. Texts are JSON as far as they were not cut off. */
export interface TimelineSpan {
  span_id: string
  kind: SpanKind
  /** The name of the node, model class or tool. */
  name: string
  /**
   * The path of a node's task: `node:task` for each graph from the outermost inwards. For models and tools: the node's.
   */
  namespace: string[]
  /** LangGraph's number of the step in the node's graph. */
  step: number | null
  started_at: number
  /** `null`: it is at work, or its attempt ended first. */
  ended_at: number | null
  status: SpanStatus
  error?: { error: string; message: string; stack?: string }
  /** For models: the requested model (`ls_model_name`), the time of the first token, the token counts. */
  model?: string
  first_token_at?: number
  input_tokens?: number
  output_tokens?: number
  /** For tools. */
  tool_call_id?: string
  /** For models and tools; those of nodes are in the checkpoints. */
  input?: string
  output?: string
  /** The questions of an interrupted node. */
  interrupts?: string
}

/**
 * How an attempt ended. `handed_over`: its server was stopped, and another continues. `lost`: its server or its host
 * died, or could not continue.
 */
export const ATTEMPT_OUTCOMES = [
  'running',
  'success',
  'error',
  'interrupted',
  'timeout',
  'handed_over',
  'lost',
] as const
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

/** One claim of a run, from beginning to end. Times in ms since 1970. */
export interface TimelineAttempt {
  /** Counts the claims, from 1. */
  token: number
  /** The number of the attempt. Handed-over claims do not count, so several may share one number. */
  attempt: number
  /** `null`: not recorded. */
  server_id: string | null
  /** The pid of that server. */
  pid: number | null
  /** The deployment's revision; `null`: unknown, or the server is no deployment's. */
  revision_id: string | null
  started_at: number | null
  /** `null`: it is running, or the end is unknown. */
  ended_at: number | null
  outcome: AttemptOutcome
  /** How many spans were left out, because there were too many. */
  left_out: number
}

/** A part of a run's timeline as it is kept: later ones add spans, and replace those with the same id. */
export interface TimelineEntry {
  attempt: TimelineAttempt
  spans: TimelineSpan[]
  /** Only in the entry of the run's end. */
  excerpt?: RunExcerpt
}

/** What a list shows of a run's end: short texts on one line, and the tokens of its last attempt's models. */
export interface RunExcerpt {
  last?: string
  question?: string
  input_tokens?: number
  output_tokens?: number
}

/** A checkpoint that the run has written. */
export interface TimelineCheckpoint {
  checkpoint_id: string
  /** Empty: of the graph itself. */
  checkpoint_ns: string
  parent_checkpoint_id: string | null
  step: number | null
  /** `input`, `loop`, `update`, `fork`. */
  source: string | null
  /** In ms since 1970; `null`: the id does not contain it. */
  created_at: number | null
}

/** A span with the claim that it belongs to. `left`: its attempt ended first. */
export type PlacedSpan = Omit<TimelineSpan, 'status'> & {
  token: number
  status: SpanStatus | 'left'
}

/** The timeline that its entries give together. `isRunning`: the last claim may be at work. */
export function foldTimeline(
  entries: readonly TimelineEntry[],
  isRunning: boolean,
): { attempts: TimelineAttempt[]; spans: PlacedSpan[] } {
  const attempts = new Map<number, TimelineAttempt>()
  const spans = new Map<string, PlacedSpan>()
  for (const { attempt, spans: told } of entries) {
    attempts.set(attempt.token, attempt)
    for (const span of told) {
      // Each attempt numbers its own.
      const span_id = `${attempt.token}-${span.span_id}`
      spans.set(span_id, { ...span, span_id, token: attempt.token })
    }
  }
  const last = Math.max(...attempts.keys())
  const isOver = ({ outcome, token }: TimelineAttempt) =>
    outcome !== 'running' || token !== last || !isRunning
  const over = new Set([...attempts.values()].filter(isOver).map(({ token }) => token))
  return {
    attempts: [...attempts.values()]
      .toSorted((a, b) => a.token - b.token)
      .map((one) => (one.outcome === 'running' && isOver(one) ? { ...one, outcome: 'lost' } : one)),
    spans: withGraphs(
      [...spans.values()].map((one) =>
        one.status === 'running' && over.has(one.token) ? { ...one, status: 'left' } : one,
      ),
    ).toSorted((a, b) => a.started_at - b.started_at || a.namespace.length - b.namespace.length),
  }
}

/** A node that is a graph has no span: it gets one that spans its inner spans. */
function withGraphs(spans: PlacedSpan[]): PlacedSpan[] {
  const keyOf = ({ namespace, token }: Pick<PlacedSpan, 'namespace' | 'token'>) =>
    `${token} ${namespace.join('|')}`
  const known = new Set(spans.filter(({ kind }) => kind === 'node').map(keyOf))
  const graphs = new Map<string, PlacedSpan>()
  for (const span of spans) {
    for (let depth = 1; depth < span.namespace.length; depth += 1) {
      const namespace = span.namespace.slice(0, depth)
      const key = keyOf({ namespace, token: span.token })
      if (!known.has(key)) graphs.set(key, around(span, namespace, graphs.get(key)))
    }
  }
  return [...spans, ...graphs.values()]
}

/** From best to worst; a graph has the worst within. */
const WORSE = ['success', 'interrupted', 'left', 'error', 'running'] as const

function around(
  { status, started_at, ended_at, token, kind }: PlacedSpan,
  namespace: string[],
  sofar: PlacedSpan | undefined,
): PlacedSpan {
  const place = namespace.join('|')
  const [name = ''] = (namespace.at(-1) ?? '').split(':')
  // A model that fails need not make its node fail.
  const told = kind === 'node' || status === 'running' ? status : 'success'
  const worst = Math.max(WORSE.indexOf(told), sofar ? WORSE.indexOf(sofar.status) : 0)
  const from = sofar ?? { started_at, ended_at }
  const isOpen = ended_at === null || from.ended_at === null
  return {
    ...{ span_id: `${token}-graph-${place}`, kind: 'node', name, namespace, token, step: null },
    status: WORSE[worst] ?? status,
    started_at: Math.min(from.started_at, started_at),
    ended_at: isOpen ? null : Math.max(from.ended_at ?? 0, ended_at),
  }
}

/** Between 1582, where UUIDs count from, and 1970, in 100 ns. */
const UUID_EPOCH = 122_192_928_000_000_000n

/** When a checkpoint was made, in ms since 1970, from its id (a UUID of version 6). */
export function timeOfCheckpoint(checkpoint_id: string): number | null {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-6([0-9a-f]{3})-/i.exec(checkpoint_id)
  if (!match) return null
  return Number((BigInt(`0x${match[1]}${match[2]}${match[3]}`) - UUID_EPOCH) / 10_000n)
}
