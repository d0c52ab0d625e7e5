/** The keys with which listeners ask what to run, and the URLs of their gateways. */
import type { Migration } from '../migrate.ts'

const sql = `
ALTER TABLE listeners ADD COLUMN url TEXT;
ALTER TABLE listeners ADD COLUMN key_hash TEXT;
CREATE UNIQUE INDEX listeners_by_key ON listeners (key_hash);
`

export const listenerKeys: Migration = { version: 11, name: 'listener-keys', sql }
