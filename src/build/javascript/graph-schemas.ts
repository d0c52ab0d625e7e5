/** Reads the schemas of a project's graphs after its build: they take seconds, and no rollout needs them. */
import { dirname } from 'node:path'
import type { Log } from '../../core/log.ts'
import { printedLog } from '../build-log.ts'
import type { LaterWork } from '../later-work.ts'
import { runStep, type StepContext } from '../step.ts'

export interface SchemaReading {
  /**
   * The command; the path of `langgraph.json` is appended. It writes the schemas beside the bundle, at a lower priority
   * than other processes. If it writes none, it prints why.
   */
  command: readonly [string, ...string[]]
  work: LaterWork
}

/** Starts reading. If it fails, the agent server reads the schemas itself on request. */
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
    // The first line names the command.
    const reason = lines.slice(1).join(' ')
    if (reason !== '' && !signal.aborted) {
      log.warn({ revision_id, reason }, 'the schemas of the graphs were not read')
    }
  })
}
