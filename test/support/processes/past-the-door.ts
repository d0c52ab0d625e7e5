// A command of the CLI on whatever Node runs this file: past `bin/runyard`, which hands over to the
// Node that the package brings.
import { runCommand } from '../../../src/cli/program.ts'

await runCommand(process.argv.slice(2), () => import('../../../src/main.ts'))
