/** `node agent-server-process.ts DATABASE PORT LEASE_MS`: serves `echo` until it is killed. */
import { startAgentServer } from './agent-server.ts'

const [database = '', port, leaseMs] = process.argv.slice(2)
const { url } = await startAgentServer({ database, port: Number(port), leaseMs: Number(leaseMs) })
console.log(url)
