/** Long inputs of runs, apart from the rows that change: `storage/agent/run-inputs.ts`. */
import type { Migration } from '../migrate.ts'

const sql = `
-- input is JSON. Where a run has no row here, its input is in its kwargs, as all were before.
CREATE TABLE run_inputs (
  run_id TEXT PRIMARY KEY REFERENCES runs (run_id) ON DELETE CASCADE,
  input TEXT NOT NULL
) STRICT;
`

export const runInputs: Migration = { version: 15, name: 'run inputs', sql }
