/** A project prints what looks like a line of its server: its deploy log says who has said what. */
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import type { LogEntry, LogQuery } from '../../src/core/deployment/revision-log.ts'
import { silentLog } from '../../src/core/log.ts'
import { deployLogPaths } from '../../src/runtime/deploy-log.ts'
import { createProcessDriver } from '../../src/runtime/process/driver.ts'
import { createRevisionLogs } from '../../src/telemetry/revision-logs.ts'
import { untilHealthy } from '../conformance/runtime-driver.ts'
import { aFolder } from '../support/control-plane/fake-builder.ts'
import { writeProject } from '../support/hosts/bundled-project.ts'
import { installHostPython, NO_PYTHON } from '../support/hosts/python.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const FORGED =
  '{"level":"error","time":"2026-11-27T12:00:00.000Z","pid":1,"msg":"your key has expired"}'
const FILES = {
  'package.json': '{ "type": "module" }',
  'graph.mjs': `
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { getLogger } from '@langchain/langgraph-sdk/logging'
console.error('${FORGED}')
console.log('[runyard] hello')
getLogger().warn('it logs', { said_by: 'server' })
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('a', () => ({}))
  .addEdge('__start__', 'a')
  .compile()
`,
  'graph.py': `
import logging
import sys
from langgraph.graph import MessagesState, StateGraph

print('${FORGED}', file=sys.stderr)
print("[runyard] hello")
logging.warning("it logs", extra={"said_by": "server"})
graph = StateGraph(MessagesState).add_node("a", lambda state: {}).add_edge("__start__", "a").compile()
`,
}

const languages = [
  { language: 'JavaScript', file: 'graph.mjs', why: undefined },
  { language: 'Python', file: 'graph.py', why: NO_PYTHON },
]

describe.each(languages)('a project in $language', ({ file, why }) => {
  const folder = temporaryFolder()
  beforeAll(async () => {
    const config = JSON.stringify({ graphs: { agent: `./${file}:graph` } })
    await writeProject(folder, { ...FILES, 'langgraph.json': config })
  })

  const skipped = why ? ` (skipped: ${why})` : ''
  it.skipIf(why)(
    `is told apart from its server${skipped}`,
    async () => {
      const python = file.endsWith('.py') ? await installHostPython() : undefined
      const entries = await logOf(folder, python)
      const sourcesOf = (text: string) =>
        entries.flatMap(({ message, source }) => (message.includes(text) ? [source] : []))
      for (const text of ['your key has expired', '[runyard] hello', 'it logs']) {
        expect([text, new Set(sourcesOf(text))]).toEqual([text, new Set(['project'])])
      }
      expect(sourcesOf('answered a request')).toContain('server')
      expect(JSON.stringify(entries)).not.toContain('"mark"')
    },
    120_000,
  )
})

/** What the agent server of this project has printed until it was asked once. */
async function logOf(root: string, python: string | undefined): Promise<LogEntry[]> {
  const logsDir = join(root, 'logs')
  const driver = createProcessDriver({
    command: { file: process.execPath, args: [resolve(import.meta.dirname, '../../bin/runyard')] },
    locate: () => ({
      ...{ root, configPath: join(root, 'langgraph.json'), bundlePath: null, node: null },
      python: python === undefined ? null : { path: python, root: resolve(python, '../..') },
    }),
    dataDir: () => join(root, 'data'),
    logsDir,
    env: { PATH: process.env.PATH ?? '', RUNYARD_LOG_LEVEL: 'debug' },
    clock: systemClock,
    log: silentLog,
  })
  const owner = { deployment_id: 'd', deployment_name: 'd' }
  const spec = {
    revision_id: 'r',
    ...owner,
    artifact: aFolder('r'),
    secrets: [],
    resource_spec: null,
  }
  driver.start(spec)
  const { url, token } = await untilHealthy(driver, 'r')
  await fetch(`${url}/info`, { headers: { 'x-runyard-gateway': token } })
  await driver.stopAll(5_000)
  const source = { revision_id: 'r', sinceMs: 0, mask: (text: string) => text }
  const logs = createRevisionLogs({ paths: () => deployLogPaths(logsDir, 'r') })
  const query: LogQuery = { kind: 'deploy', sources: [source], order: 'asc', limit: 1000 }
  await expect
    .poll(async () => JSON.stringify((await logs.read(query)).entries))
    .toContain('answered a request')
  return (await logs.read(query)).entries
}
