/** `runyard threads` */
import { type Command, Option } from 'commander'
import { clientCommand, connected } from '../connection.ts'
import { countUpTo } from '../option-readers.ts'
import { printJson, printTable, shortTime, tableStatus } from '../terminal/output.ts'
import { openAgentServer } from './open-agent.ts'

interface Thread {
  thread_id: string
  status: string
  created_at: string
  updated_at: string
  metadata: { graph_id?: string } | null
}

const STATUSES = ['idle', 'busy', 'interrupted', 'error']
/** The most threads in one answer of the agent server. */
const MOST = 1000

export function threadsCommand(): Command {
  return clientCommand('threads', 'list an agent’s threads, the last changed first', [
    ['runyard threads support', 'the last twenty'],
    ['runyard threads support --status interrupted', 'those that wait for somebody'],
  ])
    .argument('<name>', 'the deployment')
    .addOption(new Option('--status <status>', 'only those').choices(STATUSES))
    .option('-n, --limit <n>', 'how many', countUpTo(MOST), 20)
    .action(async (name: string, options) =>
      connected(options, async ({ client, isJson }) => {
        const query = {
          limit: options.limit,
          sort_by: 'updated_at',
          sort_order: 'desc',
          ...(options.status && { status: options.status }),
        }
        const server = await openAgentServer(client, name)
        const threads = await server.call<Thread[]>('POST', '/threads/search', query)
        if (isJson) return printJson(threads)
        printTable(
          ['THREAD', 'STATUS', 'GRAPH', 'CREATED', 'UPDATED'],
          threads.map(({ thread_id, status, metadata, created_at, updated_at }) => [
            thread_id,
            tableStatus(status),
            metadata?.graph_id ?? '-',
            shortTime(created_at),
            shortTime(updated_at),
          ]),
        )
      }),
    )
}
