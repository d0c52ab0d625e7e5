/** All of a project but the runs of its graphs, behind each implementation of the port. */
import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import type { GraphHost } from '../../src/core/agent/host/graph-host.ts'
import { type Log, silentLog } from '../../src/core/log.ts'
import type { Language } from '../support/agent/language.ts'
import { openFixture } from '../support/hosts/fixture-host.ts'
import { NO_PYTHON } from '../support/hosts/python.ts'
import {
  scriptedAuth,
  scriptedCatalog,
  scriptedEmbed,
  scriptedRoutes,
} from '../support/hosts/scripted-project.ts'
import { wireHost } from '../support/hosts/wired-host.ts'
import { testProjectAuth } from './graph-host/auth.ts'
import { type Catalog, testCatalog } from './graph-host/catalog.ts'
import { testEmbeddings } from './graph-host/embeddings.ts'
import { testProjectRoutes } from './graph-host/routes.ts'

type ProjectParts = Catalog & Required<Pick<GraphHost, 'auth' | 'routes' | 'embed'>>

interface Implementation {
  open: (log: Log) => Promise<{ host: object; stop?: () => Promise<void> }>
  language: Language
  /** Why it is not there. */
  missing?: string | undefined
}

const IMPLEMENTATIONS: Record<string, Implementation> = {
  JavaScript: {
    open: (log) => openFixture('hosted', 'javascript', log),
    language: 'javascript',
  },
  'JavaScript, behind a wire': {
    async open(log) {
      const { host, stop } = await openFixture('hosted', 'javascript', log)
      return { host: wireHost(host), stop }
    },
    language: 'javascript',
  },
  Python: {
    open: (log) => openFixture('hosted', 'python', log),
    language: 'python',
    missing: NO_PYTHON,
  },
  'a script': {
    open: async (log) => ({
      host: {
        ...scriptedCatalog,
        auth: scriptedAuth,
        routes: scriptedRoutes(log),
        embed: scriptedEmbed,
      },
    }),
    language: 'javascript',
  },
}

for (const [name, { open, language, missing }] of Object.entries(IMPLEMENTATIONS)) {
  const skipped = missing ? ` (skipped: ${missing})` : ''
  describe.skipIf(missing)(`a project in ${name}${skipped}`, () => {
    const logged: object[] = []
    const log: Log = { ...silentLog, error: (fields) => logged.push(fields), child: () => log }
    let opened: Awaited<ReturnType<typeof open>>
    const parts = () => opened.host as ProjectParts

    beforeAll(async () => {
      opened = await open(log)
    })
    beforeEach(() => {
      logged.length = 0
    })
    afterAll(() => opened?.stop?.())

    testCatalog(parts)
    testProjectAuth(() => parts().auth)
    testProjectRoutes(() => ({ routes: parts().routes, logged }), language)
    testEmbeddings(() => parts().embed)
  })
}
