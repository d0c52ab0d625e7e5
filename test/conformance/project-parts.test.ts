/** All of a project but the runs of its graphs, behind each implementation of the port. */
import { join } from 'node:path'
import { beforeAll, beforeEach, describe } from 'vitest'
import type { GraphHost } from '../../src/core/agent/host/graph-host.ts'
import { type Log, silentLog } from '../../src/core/log.ts'
import { openProject } from '../../src/main/project.ts'
import { readProjectConfig } from '../../src/project/config.ts'
import { fixtureProject } from '../support/agent-server.ts'
import {
  scriptedAuth,
  scriptedCatalog,
  scriptedEmbed,
  scriptedRoutes,
} from '../support/scripted-project.ts'
import { wireHost } from '../support/wired-host.ts'
import { testProjectAuth } from './graph-host/auth.ts'
import { type Catalog, testCatalog } from './graph-host/catalog.ts'
import { testEmbeddings } from './graph-host/embeddings.ts'
import { testProjectRoutes } from './graph-host/routes.ts'

type ProjectParts = Catalog & Required<Pick<GraphHost, 'auth' | 'routes' | 'embed'>>

const IMPLEMENTATIONS = {
  JavaScript: openHost,
  'JavaScript, behind a wire': async (log: Log) => wireHost(await openHost(log)),
  'a script': async (log: Log) => ({
    ...scriptedCatalog,
    auth: scriptedAuth,
    routes: scriptedRoutes(log),
    embed: scriptedEmbed,
  }),
}

async function openHost(log: Log): Promise<GraphHost> {
  const config = await readProjectConfig(join(fixtureProject('hosted'), 'langgraph.json'))
  const { host } = await openProject(config, { isLangSmithUsed: false, log })
  return host
}

describe.each(Object.entries(IMPLEMENTATIONS))('a project in %s', (_, open) => {
  const logged: object[] = []
  const log: Log = { ...silentLog, error: (fields) => logged.push(fields), child: () => log }
  let parts: ProjectParts

  beforeAll(async () => {
    parts = (await open(log)) as ProjectParts
  })
  beforeEach(() => {
    logged.length = 0
  })

  testCatalog(() => parts)
  testProjectAuth(() => parts.auth)
  testProjectRoutes(() => ({ routes: parts.routes, logged }))
  testEmbeddings(() => parts.embed)
})
