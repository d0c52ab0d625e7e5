/** The value from which a deployment's push webhook derives its secret. */
import type { Migration } from '../migrate.ts'

const sql = `
ALTER TABLE deployments ADD COLUMN push_nonce TEXT;
`

export const pushWebhooks: Migration = { version: 3, name: 'push-webhooks', sql }
