import { Outlet } from '@tanstack/react-router'
import { AgentServerProvider } from '../api/agent-server.tsx'

/** Gives the pages below the agent server that this page came from. */
export function ServerLayout() {
  return (
    <AgentServerProvider>
      <Outlet />
    </AgentServerProvider>
  )
}
