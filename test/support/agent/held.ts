/** What happened to the nodes of the graph `hold` of the project `runs`, which runs in either language. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { held as heldHere } from '../../fixtures/projects/runs/graph.ts'
import { LANGUAGE } from './language.ts'

type Happened = 'working' | 'left' | 'done'

/** By the run; `undefined` before its node is called. */
export function held(run_id: string): Happened | undefined {
  if (LANGUAGE === 'javascript') return heldHere.get(run_id)
  // Python graphs are in another process, which tells it by files.
  const file = join(process.env.HELD_FOLDER ?? '', run_id)
  return existsSync(file) ? (readFileSync(file, 'utf8') as Happened) : undefined
}
