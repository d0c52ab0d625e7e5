import { expect, test } from 'vitest'
import { effort, SEED } from '../chaos/effort.ts'
import { readDocument } from '../contract/document.ts'
import { clientOf } from '../support/agent/agent-server.ts'
import { forAllTests } from '../support/running.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { fuzz } from './fuzz.ts'
import { startFuzzedProcess } from './fuzzed-process.ts'
import { KnownIds } from './known-values.ts'
import { expectReach } from './tally.ts'

/** The count ends it, on a machine that does nothing else in a tenth of this. */
const LIMIT_MS = effort({ short: 240_000, whole: 1_800_000 })

const dataDir = temporaryFolder()

const server = forAllTests(() => startFuzzedProcess('agent-server-process.ts', dataDir))

test(
  `no request to the agent server breaks it (seed ${SEED})`,
  async () => {
    const ids = new KnownIds()
    await furnish(ids)
    const document = readDocument('agent-server')
    const tally = await fuzz(
      { url: server.line, document, headers: {}, ids },
      { requests: effort({ short: 3_000, whole: 40_000 }), seed: SEED, limitMs: LIMIT_MS },
    )
    expectReach(tally)
    expect(await (await fetch(`${server.line}/ok?check_db=1`)).json()).toMatchObject({ ok: true })
    expect(server.isAlive()).toBe(true)
  },
  LIMIT_MS + 60_000,
)

/** Threads with runs of each graph, so that requests find something. */
async function furnish(ids: KnownIds): Promise<void> {
  const client = clientOf(server.line)
  for (const graph of ['agent', 'slow', 'fail', 'ask', 'parent']) {
    const thread = await client.threads.create({ metadata: { graph_id: graph } })
    const run = await client.runs.create(thread.thread_id, graph, { input: { text: 'x' } })
    await client.runs.join(thread.thread_id, run.run_id)
    ids.learn([thread, run, await client.threads.getState(thread.thread_id)])
  }
  // The first answer about a graph's types takes the compiler seconds: here, where nothing hangs by it.
  for (const { assistant_id } of await client.assistants.search()) {
    await client.assistants.getSchemas(assistant_id)
  }
}
