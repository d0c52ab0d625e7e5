/**
 * The `run_inputs` table: inputs that are too long for their run's row. SQLite rewrites the whole row on each change,
 * such as the renewal of a lease, and to read a column it reads through all columns before it. Measured with an input
 * of 50 MB: 0.7 s of CPU for each renewal.
 */
import type { RunKwargs, StoredRun } from '../../core/agent/run.ts'
import { parseJson } from '../../core/exact-json.ts'
import type { Db } from '../db/db.ts'

/** The longest input that is stored in its run's own row, in characters of JSON. */
const SHORT = 16_384

/** A column of `runs`: the input where it is long, else NULL. */
export const LONG_INPUT = `(
  SELECT long.input FROM run_inputs AS long WHERE long.run_id = runs.run_id) AS long_input`

// A run's input never changes. Runs older than this table have it in their row.
const INSERT = 'INSERT INTO run_inputs (run_id, input) VALUES ($1, $2) ON CONFLICT DO NOTHING'

/**
 * How `given` is stored: `kwargs` for the row, as JSON, and `longInput`, which is stored apart. `copy`: as it will be
 * read, sharing nothing with `given` but a long input.
 */
export function encodeKwargs(given: RunKwargs): {
  kwargs: string
  copy: RunKwargs
  longInput?: string
} {
  const { input, ...rest } = given
  const text = input === undefined ? '' : JSON.stringify(input)
  if (text.length <= SHORT) {
    const kwargs = JSON.stringify(given)
    return { kwargs, copy: parseJson(kwargs) }
  }
  const kwargs = JSON.stringify(rest)
  return { kwargs, copy: { ...parseJson(kwargs), input }, longInput: text }
}

/** Within the transaction that writes the run's row. */
export async function addLongInput(tx: Db, run_id: string, input: string): Promise<void> {
  await tx.runAhead(INSERT, [run_id, input])
}

export function withLongInput(run: StoredRun, input: string | null | undefined): StoredRun {
  if (typeof input !== 'string') return run
  return { ...run, kwargs: { ...run.kwargs, input: parseJson(input) } }
}
