/**
 * `node load-layouts.ts WAY LANGGRAPH_JSON`: prints, as JSON, what each graph answers. Graphs come out of the project's
 * bundle where WAY is `bundle`, or are loaded as they are where it is `sources`.
 */
import { argv } from 'node:process'
import { bundlePath } from '../../../src/graph/js/bundle/write.ts'
import { graphEnvironment, mainFile } from '../../../src/graph/js/environment.ts'
import { openBundle } from '../../../src/graph/js/modules/bundled.ts'
import { installHooks } from '../../../src/graph/js/modules/hooks.ts'
import { importExport, importFor } from '../../../src/graph/js/modules/loader.ts'
import { readProjectConfig } from '../../../src/project/config.ts'
import { isJavascript } from '../../../src/project/module-spec.ts'
import { applyProjectEnvironment } from '../../../src/settings/config.ts'

const [, , way, configPath = ''] = argv
const config = await readProjectConfig(configPath)
applyProjectEnvironment({}, graphEnvironment(config))
if (way === 'bundle') await openBundle(bundlePath(config.path), config.root)
else await installHooks(mainFile(config))
const answers: Record<string, unknown> = {}
for (const spec of config.graphs.filter(isJavascript)) answers[spec.graph_id] = await answerOf(spec)
console.log(JSON.stringify(answers))

async function answerOf(spec: Parameters<typeof importExport>[0]): Promise<unknown> {
  try {
    const { exported } = await importExport(spec, 'The graph')
    await importFor(spec.file, '@langchain/langgraph')
    return await (exported as () => unknown)()
  } catch (error) {
    return String(error)
  }
}
