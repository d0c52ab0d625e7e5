/** Whether a deployment's own auth checks its callers, known while it sleeps too. */
import type { Migration } from '../migrate.ts'

const sql = `
ALTER TABLE deployments ADD COLUMN has_own_auth INTEGER CHECK (has_own_auth IN (0, 1));
`

export const ownAuth: Migration = { version: 6, name: 'own-auth', sql }
