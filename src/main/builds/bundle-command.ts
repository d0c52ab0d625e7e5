/**
 * `node bundle-command.ts [--bundle | --schemas] LANGGRAPH_JSON`, as `runyard artifact bundle`, or one half of it. A
 * process of its own, so that it has a build's limits and takes no memory of the control plane. A build starts it
 * while packages are installed: it loads its modules, and reads the project when its standard input has ended.
 */
import module from 'node:module'
import { stdin } from 'node:process'
import { parseArgs } from 'node:util'
import { comeLast } from '../../process/priority.ts'

module.enableCompileCache?.()
const { values, positionals } = parseArgs({
  options: { bundle: { type: 'boolean' }, schemas: { type: 'boolean' } },
  allowPositionals: true,
})
const { bundle, prepare, writeBundle, writeSchemas } = await import('./bundle.ts')
const [configPath = 'langgraph.json'] = positionals
if (values.schemas) comeLast()
else await prepare()
for await (const _ of stdin);
const write = values.schemas ? writeSchemas : values.bundle ? writeBundle : bundle
await write(configPath)
