/** A project behind its port, with all that its `langgraph.json` says of the server. */
import type { AgentServerOptions } from '../agent-server/server/options.ts'
import { createJsHost } from '../graph/js/host.ts'
import { noteSource } from '../graph/js/modules/loader.ts'
import { type LoadOptions, loadProject } from '../graph/js/project.ts'
import type { ProjectConfig } from '../project/config.ts'
import { bundleUi } from '../project/ui-bundle.ts'

/** `isLangSmithUsed`: whether graphs trace to LangSmith. Throws `bad_request`, as `loadProject` and `bundleUi` do. */
export async function openProject(
  config: ProjectConfig,
  options: LoadOptions & { isLangSmithUsed: boolean },
): Promise<Pick<AgentServerOptions, 'host' | 'config' | 'ui'>> {
  const host = createJsHost(await loadProject(config, options), options)
  return { host, config, ui: await bundleUi(config, noteSource) }
}
