/** What a graph host calls back for, on a real store, where no agent server is around it. */
import { Items } from '../../../src/agent-server/store/items.ts'
import type { AgentStore } from '../../../src/core/agent/agent-store.ts'
import type { HostCalls } from '../../../src/core/agent/host/calls.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { readStoreConfig } from '../../../src/project/store.ts'

/** `calls`: what is to be called in place of these. */
export function hostCallsOn(store: AgentStore, calls: Partial<HostCalls> = {}): HostCalls {
  const config = readStoreConfig(undefined)
  return {
    checkpoints: store.checkpoints,
    items: new Items({ store: store.items, config, embed: undefined, clock: systemClock }),
    onNode: () => {},
    fetch: async () => Response.error(),
    ...calls,
  }
}
