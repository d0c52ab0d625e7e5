/**
 * Where the time of a run went: its attempts, and in each the nodes, models and tools that were at work.
 * Kept for every run, whichever stream modes were asked for, and bounded: see `TIMELINE_LIMITS`.
 */

/** What is at work. `node`: a function of the graph, or of one of its subgraphs. */
export const SPAN_KINDS = ['node', 'model', 'tool'] as const
type SpanKind = (typeof SPAN_KINDS)[number]

/** `interrupted`: the node has stopped to ask, or was told to stop. */
export const SPAN_STATUSES = ['running', 'success', 'error', 'interrupted'] as const
type SpanStatus = (typeof SPAN_STATUSES)[number]

/** Of each attempt; `chars` of each text (input, output, stack), `totalChars` of all its texts together. */
export const TIMELINE_LIMITS = { spans: 1_000, chars: 8_192, totalChars: 524_288 } as const

/** The end of a text that was cut off. */
export const CUT_OFF = ' …'

/** Times in ms since 1970. Texts are JSON as far as they were not cut off. */
export interface TimelineSpan {
  span_id: string
  kind: SpanKind
  /** Of the node, the model's class or the tool. */
  name: string
  /** Where a node's task stands: `node:task` for each graph from the outermost inwards. For the rest, in which node. */
  namespace: string[]
  /** LangGraph's number of the step in the node's graph. */
  step: number | null
  started_at: number
  /** `null`: it is at work, or its attempt has ended before it. */
  ended_at: number | null
  status: SpanStatus
  error?: { error: string; message: string; stack?: string }
  /** Of models: what the call asked for (`ls_model_name`), when its first token came, what it counted. */
  model?: string
  first_token_at?: number
  input_tokens?: number
  output_tokens?: number
  /** Of tools. */
  tool_call_id?: string
  /** Of models and tools; of nodes the checkpoints have it. */
  input?: string
  output?: string
  /** Of an interrupt: what it asks. */
  interrupts?: string
}

/**
 * How an attempt ended. `handed_over`: its server was told to stop, and another goes on. `lost`: its server or its
 * host has died, or could not go on.
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

/** One claim of a run, from its beginning to its end. Times in ms since 1970. */
export interface TimelineAttempt {
  /** Counts the claims, from 1. */
  token: number
  /** The number of the attempt; claims that were handed over do not count, so that several may have the same. */
  attempt: number
  /** `null`: nothing was kept of it. */
  server_id: string | null
  /** Of that server's process. */
  pid: number | null
  /** The deployment's revision; `null`: unknown, or the server is no deployment's. */
  revision_id: string | null
  started_at: number | null
  /** `null`: it is going on, or nobody knows. */
  ended_at: number | null
  outcome: AttemptOutcome
  /** How many spans were left out, because there were too many. */
  left_out: number
}

/** A part of a run's timeline as it is kept: later ones add spans, and replace those with the same id. */
export interface TimelineEntry {
  attempt: TimelineAttempt
  spans: TimelineSpan[]
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
  /** In ms since 1970; `null`: its id does not tell. */
  created_at: number | null
}

/** A span, and which claim of the run it belongs to. `left`: its attempt was over before it. */
export type PlacedSpan = Omit<TimelineSpan, 'status'> & {
  token: number
  status: SpanStatus | 'left'
}

/** All that was added to a timeline, as it stands. `isRunning`: the last claim may be at work. */
export function foldTimeline(
  entries: readonly TimelineEntry[],
  isRunning: boolean,
): { attempts: TimelineAttempt[]; spans: PlacedSpan[] } {
  const attempts = new Map<number, TimelineAttempt>()
  const spans = new Map<string, PlacedSpan>()
  for (const { attempt, spans: told } of entries) {
    attempts.set(attempt.token, attempt)
    for (const span of told) {
      // Each attempt counts its own.
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

/** A node that is a graph itself is seen by what is within it alone: it lasts as long as that. */
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

/** What is within it may be worse than this one. */
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

/** When a checkpoint was made, in ms since 1970, as its id (a UUID of version 6) tells. */
export function timeOfCheckpoint(checkpoint_id: string): number | null {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-6([0-9a-f]{3})-/i.exec(checkpoint_id)
  if (!match) return null
  return Number((BigInt(`0x${match[1]}${match[2]}${match[3]}`) - UUID_EPOCH) / 10_000n)
}
