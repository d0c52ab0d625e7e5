import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { agentFetch } from '../api/agent-fetch.ts'
import { AgentRefusal } from '../api/agent-request.ts'
import { type AgentServer, useAgentServer } from '../api/agent-server.tsx'
import { MODE } from '../api/mode.ts'
import { readAgain } from '../api/read-again.ts'
import { toast } from '../design/toast.tsx'

/**
 * Polling interval in ms, besides each return to the page. With `runyard dev`, the user is on the same machine and
 * waits for the change.
 */
const LOOK_MS = MODE === 'agent-server' ? 3_000 : 20_000

/**
 * Notices a new version, after `runyard dev` has reloaded a changed project or a rollout has switched, and reads
 * assistants, graphs, schemas and components again.
 */
export function useNewVersion(): void {
  const server = useAgentServer()
  const queries = useQueryClient()
  const { data: version } = useQuery(versionQuery(server))
  const known = useRef<string>(undefined)
  useEffect(() => {
    if (version === undefined) return
    const before = known.current
    known.current = version
    if (before === undefined || before === version) return
    for (const part of ['assistants', 'component'])
      void queries.invalidateQueries({ queryKey: [server.key, part] })
    toast('A new version answers now: its graph is read again.')
  }, [version, queries, server.key])
}

const THE_ONLY_ONE = 'the only one'

/** The project's version, as the gateway in front of the server reports it; without a gateway it never changes. */
function versionQuery(server: AgentServer) {
  return queryOptions({
    queryKey: [server.key, 'version'],
    queryFn: (context) =>
      readAgain(server, context, async ({ url, headers }) => {
        const response = await agentFetch(`${url}/info`, { headers, signal: context.signal })
        if (response.ok) return response.headers.get('x-runyard-revision') ?? THE_ONLY_ONE
        throw new AgentRefusal(response.status, `The agent server answered ${response.status}.`)
      }),
    refetchInterval: ({ state }) => (state.data === THE_ONLY_ONE ? false : LOOK_MS),
    refetchOnWindowFocus: ({ state }) => state.data !== THE_ONLY_ONE,
    // Not cached beyond the page: a newly opened page has just read everything.
    gcTime: 0,
  })
}
