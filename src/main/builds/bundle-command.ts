/**
 * `node bundle-command.ts [--bundle | --schemas] LANGGRAPH_JSON`, as `runyard artifact bundle`, or one half of it. A
 * process of its own, so that it has a build's limits and takes no memory of the control plane. A build starts it
 * while packages are installed: it loads its modules, and reads the project when its standard input has ended.
 */
import { readdirSync } from 'node:fs'
import module from 'node:module'
import { getPriority, setPriority } from 'node:os'
import { stdin } from 'node:process'
import { parseArgs } from 'node:util'

/** A third of another process's share: with 10, a tenth, the work would take minutes on a busy machine. */
const LAST = 5

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

/** Lowers the priority of this process and of all that it starts from now on. */
function comeLast(): void {
  // Only root may take back what was given up.
  for (const thread of threads()) setPriority(thread, Math.max(LAST, getPriority(thread)))
}

/** On Linux each thread has a priority of its own, V8's helpers too; elsewhere a process has one, which 0 means. */
function threads(): number[] {
  return process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0]
}
