/** The parts of a project beside its graphs, behind each implementation of the port. */
import { join } from 'node:path'
import { beforeAll, beforeEach, describe } from 'vitest'
import type { GraphHost } from '../../src/core/agent/graph-host.ts'
import { type Log, silentLog } from '../../src/core/log.ts'
import { loadProject } from '../../src/graph/js/project.ts'
import { readProjectConfig } from '../../src/project/config.ts'
import { fixtureProject } from '../support/agent-server.ts'
import { scriptedAuth, scriptedEmbed, scriptedRoutes } from '../support/scripted-project.ts'
import { testProjectAuth } from './graph-host/auth.ts'
import { testEmbeddings } from './graph-host/embeddings.ts'
import { testProjectRoutes } from './graph-host/routes.ts'

type ProjectParts = Required<Pick<GraphHost, 'auth' | 'routes' | 'embed'>>

const IMPLEMENTATIONS: Record<string, (log: Log) => Promise<Partial<ProjectParts>>> = {
  JavaScript: async (log) =>
    loadProject(await readProjectConfig(join(fixtureProject('hosted'), 'langgraph.json')), { log }),
  'a script': async (log) => ({
    auth: scriptedAuth,
    routes: scriptedRoutes(log),
    embed: scriptedEmbed,
  }),
}

describe.each(Object.entries(IMPLEMENTATIONS))('a project in %s', (_, load) => {
  const logged: object[] = []
  const log: Log = { ...silentLog, error: (fields) => logged.push(fields), child: () => log }
  let parts: ProjectParts

  beforeAll(async () => {
    parts = (await load(log)) as ProjectParts
  })
  beforeEach(() => {
    logged.length = 0
  })

  testProjectAuth(() => parts.auth)
  testProjectRoutes(() => ({ routes: parts.routes, logged }))
  testEmbeddings(() => parts.embed)
})
