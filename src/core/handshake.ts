/** The socket of a WebSocket's handshake, until the handshake is answered. */
import type { Duplex } from 'node:stream'

/**
 * Destroys the socket of a handshake when its client ends the connection before it is answered: nobody
 * reads it then, so that it would not be noticed. What the client sends is left where it is.
 */
export function watchEnd(socket: Duplex): void {
  socket.on('readable', lookForEnd)
  socket.on('end', destroy)
}

/** From now on somebody else reads it. */
export function unwatchEnd(socket: Duplex): void {
  socket.off('readable', lookForEnd)
  socket.off('end', destroy)
}

/** The end is told only to who reads. */
function lookForEnd(this: Duplex): void {
  if (this.readableLength === 0) this.read()
}

function destroy(this: Duplex): void {
  this.destroy()
}
