/** `node agent-server-process.ts DATA_DIR [KEY]`: serves `echo`, logs its failures; prints its address. */
import { createLog } from '../../src/telemetry/log.ts'
import { startAgentServer } from '../support/agent/agent-server.ts'

const [dataDir = '', ...apiKeys] = process.argv.slice(2)
const { url } = await startAgentServer({ dataDir, apiKeys, log: createLog('error') })
console.log(url)
