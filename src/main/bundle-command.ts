/**
 * `node bundle-command.ts LANGGRAPH_JSON`: writes the bundle of a project and says in a line what came
 * of it. A process of its own: it has a build's limits, and the control plane none of its memory.
 */
import { argv } from 'node:process'
import { bundleProject } from '../graph/js/bundle/write.ts'
import { readProjectConfig } from '../project/config.ts'

const [, , configPath = 'langgraph.json'] = argv
const made = await bundleProject(await readProjectConfig(configPath))
if ('reason' in made) {
  console.log(`Not bundled, so that a start takes longer: ${made.reason}.`)
} else {
  const size = (made.bytes / 1e6).toFixed(1)
  const outside = made.external.length > 0 ? `, without ${made.external.join(', ')}` : ''
  console.log(`Bundled ${made.files} files into one of ${size} MB${outside}.`)
}
