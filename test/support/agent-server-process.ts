/** `node agent-server-process.ts DATA_DIR PORT LEASE_MS`: serves `echo` until it is killed. */
import { startAgentServer } from './agent-server.ts'

const [dataDir = '', port, leaseMs] = process.argv.slice(2)
const { url } = await startAgentServer({ dataDir, port: Number(port), leaseMs: Number(leaseMs) })
console.log(url)
