/**
 * The one room for what Runyard replaces or adds in the process of a project, outside of its own code: globals, and
 * classes of the project's LangGraph. docs/patches.md describes each.
 */
import type { Patch } from '../../../core/agent/host/patches.ts'
import type { Log } from '../../../core/log.ts'
import { installLoopback } from './loopback.ts'
import { letGoOfRaces } from './promise-race.ts'
import { poolRandomValues } from './random-values.ts'
import { installSdkLogger } from './sdk-logger.ts'

let leftOut: readonly Patch[] = []

/**
 * Patches globals, but for those in `off`. Call it before graphs are imported: packages keep what they find. Classes of
 * LangGraph are patched when the copy of a graph is known, and `process-ends` by the composition root: it is for graphs
 * in Python too.
 */
export function applyPatches(log: Log, off: readonly Patch[]): void {
  leftOut = off
  if (!off.includes('loopback')) installLoopback()
  if (!off.includes('sdk-logger')) installSdkLogger(log)
  if (!off.includes('random-values')) poolRandomValues()
  if (!off.includes('promise-race')) letGoOfRaces()
}

/** Whether a class of LangGraph is patched. */
export function isPatched(patch: Patch): boolean {
  return !leftOut.includes(patch)
}
