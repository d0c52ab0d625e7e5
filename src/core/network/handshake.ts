/** Watches the socket of a WebSocket handshake until the response. */
import type { Duplex } from 'node:stream'

/**
 * Destroys the socket of a handshake when its client leaves before the response. Without this nothing reads the socket
 * at that time, so the end would go unnoticed. What the client has sent stays unread.
 */
export function watchEnd(socket: Duplex): void {
  socket.on('readable', lookForEnd)
  socket.on('end', destroy)
}

/** From now on another reader watches the socket. */
export function unwatchEnd(socket: Duplex): void {
  socket.off('readable', lookForEnd)
  socket.off('end', destroy)
}

/** Only reading reveals the end. */
function lookForEnd(this: Duplex): void {
  if (this.readableLength === 0) this.read()
}

function destroy(this: Duplex): void {
  this.destroy()
}
