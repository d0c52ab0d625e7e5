/** The graphs that each server executes. */
import type { Migration } from '../migrate.ts'

const sql = `
-- JSON; empty: the server has not said.
ALTER TABLE servers ADD COLUMN graphs TEXT NOT NULL DEFAULT '[]';
`

export const graphsOfServers: Migration = { version: 7, name: 'graphs of servers', sql }
