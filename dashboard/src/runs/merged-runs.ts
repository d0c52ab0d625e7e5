/** Runs of several agent servers in one list, newest first, page by page. */
import type { AgentServer } from '../api/agent-server.tsx'
import { statusOf } from '../api/query-client.ts'
import { type FoundRun, type RunQuery, searchRuns } from '../api/runs.ts'

export interface ServerRun extends FoundRun {
  server: AgentServer
}

/** Runs read from a server but not shown yet, and the cursor of the rest; `null`: no more. */
interface Source {
  rest: ServerRun[]
  cursor: string | undefined | null
}

export interface RunsPage {
  runs: ServerRun[]
  /** By server key. */
  sources: Record<string, Source>
  /** Servers that failed to respond. */
  failures: { server: AgentServer; error: unknown }[]
  /** How many runs of a server a search for a text has looked at, if there are more. */
  lookedAt?: number | undefined
}

const PAGE = 100

/**
 * The page after `before`; without it the first page. `known`: the first page as it was read before. A server that has
 * fallen asleep since keeps its runs of it.
 */
export async function nextPage(
  servers: readonly AgentServer[],
  query: RunQuery,
  before: RunsPage | undefined,
  signal: AbortSignal,
  known?: RunsPage,
): Promise<RunsPage> {
  const failures: RunsPage['failures'] = []
  let lookedAt: number | undefined
  const read = async (server: AgentServer): Promise<[string, Source]> => {
    const { key } = server
    const source = before?.sources[key] ?? { rest: [], cursor: undefined }
    if (source.cursor === null || source.rest.length >= PAGE) return [key, source]
    try {
      const found = await searchRuns(
        server,
        { ...query, limit: PAGE, cursor: source.cursor },
        signal,
      )
      lookedAt ??= found.lookedAt
      const rest = [...source.rest, ...found.runs.map((run) => ({ ...run, server }))]
      return [key, { rest, cursor: found.next ?? null }]
    } catch (error) {
      signal.throwIfAborted()
      const last = known?.sources[key]
      if (last && statusOf(error) === 409) {
        const shown = known.runs.filter((run) => run.server.key === key)
        return [key, { ...last, rest: [...shown, ...last.rest] }]
      }
      failures.push({ server, error })
      return [key, { rest: source.rest, cursor: null }]
    }
  }
  const sources = Object.fromEntries(await Promise.all(servers.map(read)))
  return { ...merge(sources), failures, lookedAt }
}

export function hasMore({ sources }: RunsPage): boolean {
  return Object.values(sources).some(({ rest, cursor }) => rest.length > 0 || cursor !== null)
}

/** Takes the newest runs until a server's loaded runs are used up and it has more to load. */
export function merge(given: Record<string, Source>): Pick<RunsPage, 'runs' | 'sources'> {
  const sources = Object.values(given).map(({ rest, cursor }) => ({ rest: [...rest], cursor }))
  const runs: ServerRun[] = []
  for (;;) {
    const isUnknown = sources.some(({ rest, cursor }) => rest.length === 0 && cursor !== null)
    const [latest] = sources
      .filter(({ rest }) => rest.length > 0)
      .toSorted((a, b) => (b.rest[0]?.created_at ?? '').localeCompare(a.rest[0]?.created_at ?? ''))
    const run = latest?.rest.shift()
    if (isUnknown || !run) {
      if (run) latest?.rest.unshift(run)
      break
    }
    runs.push(run)
  }
  const keys = Object.keys(given)
  return { runs, sources: Object.fromEntries(sources.map((one, at) => [keys[at] ?? '', one])) }
}
