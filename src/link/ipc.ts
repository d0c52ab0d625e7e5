/** The channel between a driver and its child process. It lasts as long as the child does. */
import type { ChildProcess } from 'node:child_process'
import type { AgentLink, DriverLink } from './messages.ts'

/** The driver's end. */
export function ipcToAgent(child: ChildProcess): AgentLink {
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

/** The child's end. */
export const ipcToDriver: DriverLink = {
  send(message) {
    return new Promise((resolve) => {
      if (!process.send) return resolve()
      process.send(message, () => resolve())
    })
  },
  onMessage(listener) {
    process.on('message', listener)
    return () => process.off('message', listener)
  },
}
