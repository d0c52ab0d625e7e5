/** The channel to a child process. It lasts as long as the child does. */
import type { ChildProcess } from 'node:child_process'
import type { AgentLink } from '../link/agent-link.ts'

export function ipcLink(child: ChildProcess): AgentLink {
  return {
    send(message) {
      if (child.connected) child.send(message, () => {})
    },
    onMessage(listener) {
      child.on('message', listener)
      return () => child.off('message', listener)
    },
  }
}
