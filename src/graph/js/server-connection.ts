/** The agent server, as a project's code reaches it: the project is imported before a server is connected. */
import type { GraphCheckpoints } from '../../core/agent/checkpoint.ts'
import type { GraphItems, HostCalls } from '../../core/agent/host/calls.ts'
import { AppError } from '../../core/errors.ts'
import { executingRun, type Place } from '../../core/origin.ts'
import { connectLoopback } from './patches/loopback.ts'

export class ServerConnection {
  #calls: HostCalls | undefined

  /** These throw `unavailable` while no server is connected. */
  readonly checkpoints: GraphCheckpoints = {
    put: (...args) => this.#server.checkpoints.put(...args),
    putWrites: (...args) => this.#server.checkpoints.putWrites(...args),
    get: (...args) => this.#server.checkpoints.get(...args),
    list: (...args) => this.#server.checkpoints.list(...args),
    deleteThread: (...args) => this.#server.checkpoints.deleteThread(...args),
  }
  readonly items: GraphItems = {
    get: (...args) => this.#server.items.get(...args),
    write: (...args) => this.#server.items.write(...args),
    searchAll: (...args) => this.#server.items.searchAll(...args),
    namespaces: (...args) => this.#server.items.namespaces(...args),
  }

  /** Does nothing while no server is connected. */
  onNode(place: Place): void {
    this.#calls?.onNode(place)
  }

  /** Returns the function that disconnects. */
  connect(calls: HostCalls): () => void {
    this.#calls = calls
    const disconnect = connectLoopback((request) =>
      calls.fetch(request, { run_id: executingRun() }),
    )
    return () => {
      disconnect()
      if (this.#calls === calls) this.#calls = undefined
    }
  }

  get #server(): HostCalls {
    if (this.#calls) return this.#calls
    throw new AppError('unavailable', 'The agent server has stopped, or does not answer yet.')
  }
}
