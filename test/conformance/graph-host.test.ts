/** Graphs, behind each implementation of the port. */
import { describe } from 'vitest'
import type { GraphHost } from '../../src/core/agent/host/graph-host.ts'
import { openFixture } from '../support/hosts/fixture-host.ts'
import { NO_PYTHON } from '../support/hosts/python.ts'
import { createScriptedHost } from '../support/hosts/scripted-graph-host.ts'
import { wireHost } from '../support/hosts/wired-host.ts'
import { forAllTests } from '../support/running.ts'
import { testGraphRuns } from './graph-host/runs.ts'
import { testGraphStates } from './graph-host/states.ts'

interface Implementation {
  open: () => Promise<{ host: GraphHost; stop(): Promise<void> }>
  /** Why it is not there. */
  missing?: string | undefined
}

const IMPLEMENTATIONS: Record<string, Implementation> = {
  JavaScript: { open: () => openFixture('played', 'javascript') },
  'JavaScript behind a wire': {
    async open() {
      const { host, stop } = await openFixture('played', 'javascript')
      return { host: wireHost(host), stop }
    },
  },
  Python: { open: () => openFixture('played', 'python'), missing: NO_PYTHON },
  'a script': { open: async () => ({ host: createScriptedHost(), stop: async () => {} }) },
}

for (const [name, { open, missing }] of Object.entries(IMPLEMENTATIONS)) {
  const skipped = missing ? ` (skipped: ${missing})` : ''
  describe.skipIf(missing)(`the graph host of ${name}${skipped}`, () => {
    const opened = forAllTests(open)

    testGraphRuns(() => opened.host)
    testGraphStates(() => opened.host)
  })
}
