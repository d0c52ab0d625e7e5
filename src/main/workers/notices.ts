/**
 * Notices between the processes of one `serve --workers N` whose database has none: over the channels between the first
 * process and its workers. The first process forwards each worker's notices.
 */
import type { Notice, Notices } from '../../core/notices.ts'

interface NoticeMessage {
  type: 'notice'
  notice: Notice
}

/** The other end of a channel: a worker's `ChildProcess`, or in a worker `process` itself. */
export interface NoticePeer {
  connected: boolean
  send?: (
    message: NoticeMessage,
    handle: undefined,
    options: undefined,
    callback: (error: Error | null) => void,
  ) => unknown
  on(event: 'message', listener: (message: unknown) => void): unknown
}

export class ProcessNotices implements Notices {
  readonly isConnected = true
  readonly #peers = new Set<NoticePeer>()
  readonly #listeners = new Set<(notice: Notice) => void>()

  /** From now on the peer receives and sends notices; peers with a closed channel are dropped. */
  add(peer: NoticePeer): void {
    this.#peers.add(peer)
    peer.on('message', (message) => {
      if (!isNoticeMessage(message)) return
      for (const listener of this.#listeners) listener(message.notice)
      this.#send(message.notice, peer)
    })
  }

  publish(notice: Notice): void {
    this.#send(notice)
  }

  subscribe(onNotice: (notice: Notice) => void): () => void {
    this.#listeners.add(onNotice)
    return () => void this.#listeners.delete(onNotice)
  }

  async close(): Promise<void> {
    this.#peers.clear()
  }

  #send(notice: Notice, except?: NoticePeer): void {
    for (const peer of this.#peers) {
      if (!peer.connected) this.#peers.delete(peer)
      // If a channel closes meanwhile, its peer needs no notice.
      else if (peer !== except)
        peer.send?.({ type: 'notice', notice }, undefined, undefined, () => {})
    }
  }
}

function isNoticeMessage(message: unknown): message is NoticeMessage {
  return (message as NoticeMessage | undefined)?.type === 'notice'
}
