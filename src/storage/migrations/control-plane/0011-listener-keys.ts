/** The keys with which listeners ask what they are to run, and where their gateways are reached. */
import type { Migration } from '../migrate.ts'

const sql = `
ALTER TABLE listeners ADD COLUMN url TEXT;
ALTER TABLE listeners ADD COLUMN key_hash TEXT;
CREATE UNIQUE INDEX listeners_by_key ON listeners (key_hash);
`

export const listenerKeys: Migration = { version: 11, name: 'listener-keys', sql }
