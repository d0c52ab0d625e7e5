/** The parts that the values of channels share: items of long lists. */
import type { Migration } from '../migrate.ts'

const sql = `
-- hash is that of the bytes: an item that is in many versions of a list is here once, as are runs of
-- items, whose bytes are the items' hashes.
CREATE TABLE channel_parts (
  thread_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (thread_id, hash)
) STRICT;
`

export const channelParts: Migration = { version: 5, name: 'channel parts', sql }
