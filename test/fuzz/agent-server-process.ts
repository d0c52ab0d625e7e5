/** `node agent-server-process.ts DATA_DIR`: serves `echo`, logs its failures; prints its address. */
import { createLog } from '../../src/telemetry/log.ts'
import { startAgentServer } from '../support/agent-server.ts'

const [dataDir = ''] = process.argv.slice(2)
const { url } = await startAgentServer({ dataDir, log: createLog('error') })
console.log(url)
