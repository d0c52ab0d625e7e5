/** Finds the agent server of a deployment and one of its assistants for a command. */
import type { AgentServer, ControlPlaneClient } from '../../../client/src/client.ts'
import { AppError } from '../../core/errors.ts'
import { requireDeployment } from '../connection.ts'

export interface Agent {
  server: AgentServer
  /** The assistant's id, or the name of its graph. */
  assistant_id: string
}

/** `assistant`: an id or a graph's name; optional if the deployment has one graph. */
export async function openAgent(
  client: ControlPlaneClient,
  name: string,
  assistant?: string,
): Promise<Agent> {
  const server = await openAgentServer(client, name)
  return { server, assistant_id: assistant ?? (await onlyGraph(server, name)) }
}

/** Throws if the deployment does not exist or does not serve yet. */
export async function openAgentServer(
  client: ControlPlaneClient,
  name: string,
): Promise<AgentServer> {
  const { active_revision_id } = await requireDeployment(client, name)
  if (active_revision_id !== null) return client.agentServer(name)
  throw new AppError(
    'unavailable',
    `Deployment ${name} serves nothing yet: "runyard status ${name}" says how far it is.`,
  )
}

async function onlyGraph(server: AgentServer, name: string): Promise<string> {
  const query = { metadata: { created_by: 'system' }, limit: 1000 }
  const found = await server.call<{ graph_id: string }[]>('POST', '/assistants/search', query)
  const graphs = found.map(({ graph_id }) => graph_id)
  const [first, ...others] = graphs
  if (first !== undefined && others.length === 0) return first
  throw new AppError(
    'bad_request',
    `Deployment ${name} has the graphs ${graphs.join(', ')}: name one with --assistant.`,
  )
}
