/** The channel of a child process to the driver that has started it. */
import type { DriverLink } from './driver-link.ts'

export const ipcLink: DriverLink = {
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
