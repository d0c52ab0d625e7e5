/** Lists the tools of an agent server and calls one: `node client.ts [address]`. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const [address = 'http://127.0.0.1:2024', key] = [process.argv[2], process.env.RUNYARD_API_KEY]

// `auto` speaks the newest version that the server knows; without it, the client begins with the handshake of 2025.
const client = new Client(
  { name: 'mcp-example', version: '1.0.0' },
  { versionNegotiation: { mode: 'auto' } },
)
const requestInit = { headers: { ...(key && { 'X-Api-Key': key }) } }
await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit }))

const { tools } = await client.listTools()
for (const { name, description, inputSchema } of tools) {
  console.log(`${name}: ${description}`)
  console.log(`  takes ${Object.keys(inputSchema.properties ?? {}).join(', ')}`)
}

const bill = { amount: 120, guests: 4, tipPercent: 15 }
const answer = await client.callTool(
  { name: 'split-bill', arguments: bill },
  {
    onprogress: ({ message }) => console.log(`  … ${message}`),
  },
)
console.log(answer.structuredContent)

await client.close()
