/** When each listener was last heard from. */
import type { Migration } from '../migrate.ts'

const sql = 'ALTER TABLE listeners ADD COLUMN last_heard_at TEXT;'

export const listenerHeard: Migration = { version: 12, name: 'listener-heard', sql }
