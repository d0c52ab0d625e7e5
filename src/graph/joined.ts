/** Two graph hosts as one: for a project that has graphs in both languages. */
import type { GraphHost } from '../core/agent/host/graph-host.ts'
import { AppError } from '../core/errors.ts'

/**
 * Each host has the graphs of its language; auth, routes and embeddings come from the host that has them. `ids`: the
 * graphs of both, in their order.
 */
export function joinHosts(first: GraphHost, second: GraphHost, ids: readonly string[]): GraphHost {
  const hosts = [first, second]
  const hostOf = (graph_id: string) => hosts.find(({ graphs }) => graphs.has(graph_id))
  const [auth] = hosts.flatMap((host) => host.auth ?? [])
  const [routes] = hosts.flatMap((host) => host.routes ?? [])
  const [embed] = hosts.flatMap((host) => host.embed ?? [])
  return {
    runtimes: [...first.runtimes, ...second.runtimes],
    graphs: new Map(
      ids.flatMap((graph_id) => {
        const info = hostOf(graph_id)?.graphs.get(graph_id)
        return info ? [[graph_id, info] as const] : []
      }),
    ),
    ...(auth && { auth }),
    ...(routes && { routes }),
    ...(embed && { embed }),
    connect(calls) {
      const disconnects = hosts.map((host) => host.connect(calls))
      return () => {
        for (const disconnect of disconnects.toReversed()) disconnect()
      }
    },
    async open(graph_id, config, checkpoints) {
      const host = hostOf(graph_id)
      if (!host) throw new AppError('not_found', `The project has no graph "${graph_id}".`)
      return host.open(graph_id, config, checkpoints)
    },
  }
}
