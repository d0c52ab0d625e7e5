/** One running agent server as the gateway sees it. */
import type { Endpoint } from '../../core/deployment/runtime.ts'
import type { Target } from '../../core/deployment/target.ts'
import { Connections } from './connections.ts'

const CONNECT_TIMEOUT_MS = 5_000

export class Upstream extends Connections {
  readonly target: Target
  readonly endpoint: Endpoint

  constructor(target: Target, endpoint: Endpoint, onClosed: () => void) {
    super(endpoint.url, CONNECT_TIMEOUT_MS, onClosed)
    this.target = target
    this.endpoint = endpoint
  }

  isAt(target: Target, endpoint: Endpoint): boolean {
    const { revision_id, workspace_id } = this.target
    return (
      revision_id === target.revision_id &&
      workspace_id === target.workspace_id &&
      this.endpoint.url === endpoint.url &&
      this.endpoint.token === endpoint.token &&
      this.endpoint.hasOwnAuth === endpoint.hasOwnAuth &&
      this.endpoint.forwardsApiKey === endpoint.forwardsApiKey
    )
  }
}

/** All upstreams, also those without a name that still have open requests. */
export class UpstreamPool {
  readonly #all = new Set<Upstream>()

  open(target: Target, endpoint: Endpoint): Upstream {
    const upstream: Upstream = new Upstream(target, endpoint, () => this.#all.delete(upstream))
    this.#all.add(upstream)
    return upstream
  }

  async drain(
    what: { revision_id: string; url?: string },
    limitMs: number,
    graceMs: number,
  ): Promise<void> {
    const drained = [...this.#all].filter(
      ({ target, endpoint }) =>
        target.revision_id === what.revision_id && (what.url ?? endpoint.url) === endpoint.url,
    )
    await Promise.all(drained.map((upstream) => upstream.drain(limitMs, graceMs)))
  }

  cutAll(): void {
    for (const upstream of [...this.#all]) upstream.cutAll()
  }
}
