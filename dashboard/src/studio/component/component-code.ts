/** Reads a component's code as text: it runs in a frame, never in this page. */
import { queryOptions } from '@tanstack/react-query'
import { AgentRefusal } from '../../api/agent-request.ts'
import type { AgentServer } from '../../api/agent-server.tsx'
import type { ComponentCode } from './frame-messages.ts'

/** How long the code counts as that of the serving revision. */
const FRESH_MS = 60_000

export function componentCodeQuery(server: AgentServer, graph: string, name: string) {
  return queryOptions({
    queryKey: [server.key, 'component', graph, name],
    queryFn: ({ signal }) => readCode(server, { graph, name, signal }),
    staleTime: FRESH_MS,
    retry: false,
  })
}

interface Wanted {
  graph: string
  name: string
  signal: AbortSignal
}

async function readCode(server: AgentServer, wanted: Wanted): Promise<ComponentCode> {
  const { graph, name, signal } = wanted
  const base = `${server.url}/ui/${encodeURIComponent(graph)}`
  const html = await readText(base, {
    method: 'POST',
    headers: { ...server.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
    signal,
  })
  const { headers } = server
  const files = filesIn(html).map(
    async (file) => [file, await readText(`${base}/${file}`, { headers, signal })] as const,
  )
  return { html, files: Object.fromEntries(await Promise.all(files)) }
}

/** No redirects: an agent must not lead this page and its session to another server. */
async function readText(url: string, init: RequestInit): Promise<string> {
  const response = await fetch(url, { ...init, redirect: 'error' })
  if (response.ok) return response.text()
  throw new AgentRefusal(response.status, `The agent server answered ${response.status} for it.`)
}

/** The names of the files; they are read below the graph's own address, whatever address the HTML has. */
export function filesIn(html: string): string[] {
  const files = html.matchAll(/\b(?:src|href)="[^"]*\/([\w-]+\.(?:js|css))"/g)
  return [...new Set([...files].map(([, file = '']) => file))]
}
