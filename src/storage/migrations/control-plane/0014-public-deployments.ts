/** Whether callers of a deployment need no key. */
import type { Migration } from '../migrate.ts'

const sql = `
ALTER TABLE deployments ADD COLUMN is_public INTEGER NOT NULL DEFAULT 0 CHECK (is_public IN (0, 1));
`

export const publicDeployments: Migration = { version: 14, name: 'public-deployments', sql }
