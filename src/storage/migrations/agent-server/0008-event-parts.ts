/** The parts that the data of events share: items of long lists. */
import type { Migration } from '../migrate.ts'

const sql = `
-- JSON: which lists were taken out of the data, and where; NULL: none.
ALTER TABLE events ADD COLUMN lists TEXT;

-- As channel_parts: hash is that of the bytes, which are an item of a list or the hashes of eight.
CREATE TABLE event_parts (
  thread_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (thread_id, hash)
) STRICT;
`

export const eventParts: Migration = { version: 8, name: 'event parts', sql }
