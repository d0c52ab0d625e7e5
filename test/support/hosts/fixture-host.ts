/** The host of a fixture project, in either language, for tests without an agent server. */
import { join } from 'node:path'
import type { GraphHost } from '../../../src/core/agent/host/graph-host.ts'
import { type Log, silentLog } from '../../../src/core/log.ts'
import { GRAPH_ENVIRONMENT } from '../../../src/graph/js/environment.ts'
import { readProjectConfig } from '../../../src/project/config.ts'
import { applyProjectEnvironment } from '../../../src/settings/config.ts'
import { fixtureProject } from '../agent/agent-server.ts'
import type { Language } from '../agent/language.ts'
import { lendProject } from './projects.ts'
import { activateHostPython } from './python.ts'

export async function openFixture(
  name: string,
  language: Language,
  log: Log = silentLog,
): Promise<{ host: GraphHost; stop: () => Promise<void> }> {
  applyProjectEnvironment(GRAPH_ENVIRONMENT, {})
  if (language === 'python') await activateHostPython()
  const config = await readProjectConfig(join(fixtureProject(name, language), 'langgraph.json'))
  return lendProject(config, { isLangSmithUsed: false, log })
}
