/** The outcome of the last run that a cron started. */
import type { Migration } from '../migrate.ts'

const sql = `
-- JSON; the id stands beside it, to be found by the end of the run.
ALTER TABLE crons ADD COLUMN last_run TEXT;
ALTER TABLE crons ADD COLUMN last_run_id TEXT;
`

export const cronRuns: Migration = { version: 12, name: 'cron runs', sql }
