/** The door of the agent server in few files (`scripts/bundle-server.mjs`): `bin/runyard` once Node is known. */
import module from 'node:module'

module.enableCompileCache?.()
// It extends zod. In several files modules may come in another order, and schemas before it would lack what it adds.
await import('@hono/zod-openapi')
const { runCommand } = await import('../cli/program.ts')
await runCommand(process.argv.slice(2), () => import('../main.ts'))
process.exit()
