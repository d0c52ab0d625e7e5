/** The paths of a step's tasks, which order their writes. */
import type { Migration } from '../migrate.ts'

const sql = `
-- As LangGraph for Python tells it. Empty: unknown, as for all writes of LangGraph for JavaScript.
ALTER TABLE checkpoint_writes ADD COLUMN task_path TEXT NOT NULL DEFAULT '';
`

export const taskPaths: Migration = { version: 11, name: 'task paths', sql }
