/** Reads the schemas of a project's graphs after its build: they take seconds, and no rollout needs them. */
import { dirname } from 'node:path'
import type { Log } from '../../core/log.ts'
import { printedLog } from '../build-log.ts'
import type { LaterWork } from '../later-work.ts'
import { runStep, type StepContext } from '../step.ts'

export interface SchemaReading {
  /**
   * The command, without the path of the `langgraph.json` that is put behind it. It writes the schemas beside the bundle, and
   * takes less of the processors than other processes. What it prints says why there are none.
   */
  command: readonly [string, ...string[]]
  work: LaterWork
}

/** Begins it. Where it fails, the agent server reads them itself when something asks for them. */
export function readSchemasLater(
  { command, work }: SchemaReading,
  { revision_id, configPath, log }: { revision_id: string; configPath: string; log: Log },
  context: StepContext,
): void {
  const at = { cwd: dirname(configPath), limitMs: context.limits.bundleMs, title: 'schemas' }
  work.begin(revision_id, async (signal) => {
    const lines: string[] = []
    const heard = { ...context, signal, log: printedLog((line) => lines.push(line)) }
    await runStep('schemas', [...command, configPath], at, heard).catch((error: Error) =>
      lines.push(error.message),
    )
    // The first names the command.
    const reason = lines.slice(1).join(' ')
    if (reason !== '' && !signal.aborted) {
      log.warn({ revision_id, reason }, 'the schemas of the graphs were not read')
    }
  })
}
