/** Compares the threads that wait in the middle of a graph with the graphs of this project. */

import type { GraphNames } from '../../core/agent/host/description.ts'
import {
  type BrokenThread,
  MOST_TOLD,
  type ParkedThreads,
} from '../../core/agent/parked-threads.ts'
import type { Thread } from '../../core/agent/thread.ts'
import { timestamp } from '../../core/clock.ts'
import type { Parts } from '../agent-server-parts.ts'

const PAGE = 100
const MOST_LOOKED_AT = 1000
/** Prefix of the channels in which LangGraph stores the next nodes. */
const NEXT = 'branch:to:'

/** Only reads, except for side effects of the project's own graph factories, which it calls. */
export async function checkParkedThreads(
  parts: Pick<Parts, 'store' | 'host' | 'clock'>,
): Promise<ParkedThreads> {
  const found: BrokenThread[] = []
  let parked = 0
  for (const status of ['interrupted', 'busy'] as const) {
    for await (const thread of threadsAt(parts, status)) {
      parked += 1
      const broken = await compare(parts, thread, status)
      if (broken) found.push(broken)
    }
  }
  const threads = found.slice(0, MOST_TOLD)
  return { checked_at: timestamp(parts.clock), parked, broken: found.length, threads }
}

async function* threadsAt(
  { store }: Pick<Parts, 'store'>,
  status: BrokenThread['status'],
): AsyncGenerator<Thread> {
  for (let offset = 0; offset < MOST_LOOKED_AT; offset += PAGE) {
    const page = { sort_by: 'updated_at', sort_order: 'desc', limit: PAGE, offset } as const
    const threads = await store.threads.search({ status }, { ...page, hasState: false })
    yield* threads
    if (threads.length < PAGE) return
  }
}

async function compare(
  { store, host }: Pick<Parts, 'store' | 'host'>,
  { thread_id, metadata }: Thread,
  status: BrokenThread['status'],
): Promise<BrokenThread | undefined> {
  const latest = await store.runs.latest(thread_id)
  const graph_id = String(metadata.graph_id ?? latest?.metadata.graph_id ?? '')
  const told = { thread_id, status, graph_id }
  if (!host.graphs.has(graph_id))
    return { ...told, is_graph_missing: true, missing_nodes: [], missing_keys: [] }
  const checkpoint = await store.checkpoints.get({ thread_id, checkpoint_ns: '' })
  if (!checkpoint) return undefined
  const graph = await host.open(graph_id, { configurable: { thread_id } })
  const names = await graph.names()
  const channels = checkpoint.values.map(({ channel }) => channel)
  const missing_nodes = missingNodes(names, channels)
  const missing_keys = missingKeys(names, channels)
  if (missing_nodes.length + missing_keys.length === 0) return undefined
  return { ...told, is_graph_missing: false, missing_nodes, missing_keys }
}

function missingNodes({ nodes }: GraphNames, channels: string[]): string[] {
  return channels
    .filter((channel) => channel.startsWith(NEXT))
    .map((channel) => channel.slice(NEXT.length))
    .filter((node) => !nodes.includes(node))
}

function missingKeys({ channels: known }: GraphNames, channels: string[]): string[] {
  if (!known) return []
  return channels.filter(
    (channel) => !channel.includes(':') && !channel.startsWith('__') && !known.includes(channel),
  )
}
