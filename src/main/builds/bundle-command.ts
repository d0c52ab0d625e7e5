/**
 * `node bundle-command.ts LANGGRAPH_JSON`, as `runyard artifact bundle`. A process of its own: it has a
 * build's limits, and the control plane none of its memory. It looks at the project when its standard input has ended, and
 * loads what it works with meanwhile: a build starts it while packages are put into their place.
 */
import module from 'node:module'
import { argv, stdin } from 'node:process'

module.enableCompileCache?.()
const { bundle, prepare } = await import('./bundle.ts')
const [, , configPath = 'langgraph.json'] = argv
await prepare()
for await (const _ of stdin);
await bundle(configPath)
