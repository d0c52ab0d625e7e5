import { useQuery } from '@tanstack/react-query'
import { agentServer } from '../../api/agent-server.tsx'
import { deploymentNameQuery } from '../../api/deployments.ts'
import { shortId } from '../../design/text/format.ts'

/** `deployment`: its id; undefined: the agent server that this page came from. */
export function AssistantName(props: { id: string; deployment: string | undefined }) {
  const { id } = props
  const deployment = useQuery(deploymentNameQuery(props.deployment)).data
  const { data } = useQuery({
    queryKey: ['crumbs', 'assistant', id],
    queryFn: async () => (await agentServer(deployment).client.assistants.get(id)).name,
    enabled: props.deployment === undefined || deployment !== undefined,
    staleTime: 60_000,
  })
  return data ?? shortId(id)
}
