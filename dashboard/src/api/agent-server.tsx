/**
 * The agent server that a page is about: a deployment's behind the gateway, or the one that serves this
 * page. The pages of threads, runs and the Studio are the same for both.
 */
import { Client } from '@langchain/langgraph-sdk'
import { createContext, type ReactNode, use, useMemo } from 'react'
import { agentFetch } from './agent-fetch.ts'
import { givenHeaders } from './given-headers.ts'
import { workspaceHeaders } from './workspace.ts'

export interface AgentServer {
  /** The official SDK's client. It needs no key: the session's cookie goes along. */
  client: Client
  /** Base URL of its API, without a trailing slash. */
  url: string
  /** Headers that every request of ours carries, beside the SDK's own. */
  headers: Record<string, string>
  /** Separates the data of different servers in query keys. */
  key: string
  /** The name to display. */
  name: string
  /** The deployment, where a control plane has one. */
  deploymentId?: string
  /** Addresses of its pages, for `<Link to>`. */
  pages: AgentPages
}

export interface AgentPages {
  studio(assistant: string, at?: { thread?: string; checkpoint?: string }): string
  threads(): string
  thread(threadId: string): string
  runs(): string
  run(threadId: string, runId: string): string
  cron(cronId: string): string
}

const Context = createContext<AgentServer | undefined>(undefined)

/** The agent server of the page; only below an `AgentServerProvider`. */
export function useAgentServer(): AgentServer {
  const server = use(Context)
  if (!server) throw new Error('This page belongs to no agent server.')
  return server
}

/** `deployment`: the deployment of the server; without one, the server that this page came from. */
export function AgentServerProvider(props: {
  deployment?: { id: string; name: string }
  children: ReactNode
}) {
  const { id, name } = props.deployment ?? {}
  const server = useMemo(() => agentServer(id && name ? { id, name } : undefined), [id, name])
  return <Context value={server}>{props.children}</Context>
}

/**
 * The dashboard calls a deployment as the LangGraph Studio user: the gateway accepts the session even if the project
 * has its own `auth`, and the project's handlers see the Studio's user.
 */
const AS_STUDIO = { 'x-auth-scheme': 'langsmith' }

/** The gateway neither wakes a deployment for such a request nor keeps it awake; see `agentFetch`. */
const AT_A_GLANCE = { 'x-runyard-wake': 'glance' }

const glances = new WeakMap<AgentServer, AgentServer>()

/** The same server for background requests, which do not wake it or keep it awake: always the same object. */
export function atAGlance(server: AgentServer): AgentServer {
  const { deploymentId: id, name } = server
  const known = glances.get(server)
  const glance = known ?? (id ? serverWith({ id, name }, AT_A_GLANCE) : serverWith(undefined, {}))
  glances.set(server, glance).set(glance, glance)
  return glance
}

/** For pages that show several servers side by side. */
export function agentServer(deployment?: { id: string; name: string }): AgentServer {
  return serverWith(deployment, {})
}

function serverWith(
  deployment: { id: string; name: string } | undefined,
  added: Record<string, string>,
): AgentServer {
  const path = deployment ? `/agents/${encodeURIComponent(deployment.name)}` : ''
  const url = `${location.origin}${path}`
  const headers = deployment ? { ...AS_STUDIO, ...workspaceHeaders(), ...added } : givenHeaders()
  return {
    client: new Client({
      apiUrl: url,
      apiKey: null,
      defaultHeaders: headers,
      // Queries retry by themselves. The SDK would also retry aborted requests, for many seconds, and delay the next
      // ones.
      callerOptions: {
        maxRetries: 0,
        maxConcurrency: Number.POSITIVE_INFINITY,
        fetch: agentFetch,
      },
    }),
    url,
    headers,
    key: deployment?.id ?? 'here',
    name: deployment?.name ?? 'this agent server',
    ...(deployment && { deploymentId: deployment.id }),
    pages: pagesOf(deployment?.id),
  }
}

function pagesOf(deployment: string | undefined): AgentPages {
  const base = deployment ? `/deployments/${deployment}` : ''
  return {
    studio: (assistant, at = {}) => `${base}/studio/${assistant}${search(at)}`,
    threads: () => `${base}/threads`,
    thread: (threadId) => `${base}/threads/${threadId}`,
    runs: () => `${base}/runs`,
    run: (threadId, runId) => `${base}/threads/${threadId}/runs/${runId}`,
    cron: (cron) => `/crons${search({ deployment, cron })}`,
  }
}

/** The router parses search values as JSON where it can; ids are plain text. */
function search(values: Record<string, string | undefined>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => !!entry[1])
  return given.length > 0 ? `?${new URLSearchParams(given)}` : ''
}
