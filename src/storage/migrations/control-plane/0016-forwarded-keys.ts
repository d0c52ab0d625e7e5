/** Whether a deployment's project asks for the API keys of its callers, for `runyard doctor`. */
import type { Migration } from '../migrate.ts'

const sql = `
ALTER TABLE deployments ADD COLUMN forwards_api_key INTEGER NOT NULL DEFAULT 0 CHECK (forwards_api_key IN (0, 1));
`

export const forwardedKeys: Migration = { version: 16, name: 'forwarded-keys', sql }
