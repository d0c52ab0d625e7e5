/**
 * Whose build a revision uses, when it was deployed, its parked threads, and which deployments sleep
 * until when.
 */
import type { Migration } from '../migrate.ts'

const sql = `
ALTER TABLE revisions ADD COLUMN built_from TEXT;
ALTER TABLE revisions ADD COLUMN deployed_at TEXT;
ALTER TABLE revisions ADD COLUMN parked_threads TEXT;
ALTER TABLE deployments ADD COLUMN asleep_since TEXT;
ALTER TABLE deployments ADD COLUMN wake_at TEXT;
`

export const rollouts: Migration = { version: 4, name: 'rollouts', sql }
