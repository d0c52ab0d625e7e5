/** Notices between parts of one process: each member hears what the others tell. */
import type { Notice, Notices } from '../../../src/core/notices.ts'

export class NoticeHub {
  readonly told: Notice[] = []
  readonly #members = new Map<Notices, Set<(notice: Notice) => void>>()

  join(): Notices {
    const listeners = new Set<(notice: Notice) => void>()
    const member: Notices = {
      isConnected: true,
      publish: (notice) => {
        this.told.push(notice)
        for (const [other, hearing] of this.#members) {
          if (other !== member) for (const listener of hearing) listener(notice)
        }
      },
      subscribe: (onNotice) => {
        listeners.add(onNotice)
        return () => void listeners.delete(onNotice)
      },
      close: async () => {},
    }
    this.#members.set(member, listeners)
    return member
  }
}
