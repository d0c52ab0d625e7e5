/** A project behind its port, with all that its `langgraph.json` says of the server. */
import type { AgentServerOptions } from '../agent-server/server/options.ts'
import { noteSource } from '../graph/js/modules/loader.ts'
import { type LoadOptions, loadProject } from '../graph/js/project.ts'
import type { ProjectConfig } from '../project/config.ts'
import { bundleUi } from '../project/ui-bundle.ts'

/** Throws `bad_request`, as `loadProject` and `bundleUi` do. */
export async function openProject(
  config: ProjectConfig,
  options: LoadOptions,
): Promise<Pick<AgentServerOptions, 'project' | 'config' | 'ui'>> {
  const project = await loadProject(config, options)
  return { project, config, ui: await bundleUi(config, noteSource) }
}
