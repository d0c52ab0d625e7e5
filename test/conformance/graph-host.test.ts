/** Graphs, behind each implementation of the port. */
import { join } from 'node:path'
import { beforeAll, describe } from 'vitest'
import { applyProjectEnvironment } from '../../src/config.ts'
import type { GraphHost } from '../../src/core/agent/host/graph-host.ts'
import { silentLog } from '../../src/core/log.ts'
import { GRAPH_ENVIRONMENT } from '../../src/graph/js/environment.ts'
import { openProject } from '../../src/main/project.ts'
import { readProjectConfig } from '../../src/project/config.ts'
import { fixtureProject } from '../support/agent-server.ts'
import { createScriptedHost } from '../support/scripted-graph-host.ts'
import { wireHost } from '../support/wired-host.ts'
import { testGraphRuns } from './graph-host/runs.ts'
import { testGraphStates } from './graph-host/states.ts'

const IMPLEMENTATIONS: Record<string, () => Promise<GraphHost>> = {
  JavaScript: openPlayed,
  'JavaScript behind a wire': async () => wireHost(await openPlayed()),
  'a script': async () => createScriptedHost(),
}

describe.each(Object.entries(IMPLEMENTATIONS))('the graph host of %s', (_, load) => {
  let host: GraphHost

  beforeAll(async () => {
    host = await load()
  })

  testGraphRuns(() => host)
  testGraphStates(() => host)
})

async function openPlayed(): Promise<GraphHost> {
  applyProjectEnvironment(GRAPH_ENVIRONMENT, {})
  const config = await readProjectConfig(join(fixtureProject('played'), 'langgraph.json'))
  return (await openProject(config, { isLangSmithUsed: false, log: silentLog })).host
}
