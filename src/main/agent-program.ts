/** The entry of the bundled agent server (`scripts/bundle-server.mjs`): `bin/runyard` once Node is known. */
import module from 'node:module'

module.enableCompileCache?.()
// It extends zod. In several files, modules may load in another order, and earlier schemas would lack its methods.
await import('@hono/zod-openapi')
const { runCommand } = await import('../cli/program.ts')
await runCommand(process.argv.slice(2), () => import('../main.ts'))
process.exit()
