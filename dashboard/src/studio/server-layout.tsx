import { Outlet } from '@tanstack/react-router'
import { AgentServerProvider } from '../api/agent-server.tsx'

/** The pages below are about the agent server that this page came from. */
export function ServerLayout() {
  return (
    <AgentServerProvider>
      <Outlet />
    </AgentServerProvider>
  )
}
