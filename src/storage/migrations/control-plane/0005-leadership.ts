/** Which control plane leads: one row. */
import type { Migration } from '../migrate.ts'

const sql = `
CREATE TABLE leadership (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  token INTEGER NOT NULL,
  beat INTEGER NOT NULL,
  holder TEXT,
  url TEXT NOT NULL
) STRICT;

INSERT INTO leadership (id, token, beat, holder, url) VALUES (1, 0, 0, NULL, '');
`

export const leadership: Migration = { version: 5, name: 'leadership', sql }
