/** The items of the store, and their vectors. */
import type { Migration } from '../migrate.ts'

const sql = `
-- namespace is the labels joined by '.', which no label contains: those below a namespace are one
-- range of the key.
CREATE TABLE store_items (
  namespace TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  ttl_minutes REAL,
  expires_at INTEGER CHECK ((expires_at IS NULL) = (ttl_minutes IS NULL)),
  PRIMARY KEY (namespace, key)
) STRICT;

CREATE INDEX store_items_by_updated_at ON store_items (updated_at, namespace, key);
CREATE INDEX store_items_expiring ON store_items (expires_at) WHERE expires_at IS NOT NULL;

-- In the order of the key, so that a namespace's vectors are read one after the other. dims: vectors
-- that another model made before are not compared with those of another length.
CREATE TABLE store_item_vectors (
  namespace TEXT NOT NULL,
  key TEXT NOT NULL,
  field TEXT NOT NULL,
  dims INTEGER NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (namespace, key, field),
  FOREIGN KEY (namespace, key) REFERENCES store_items (namespace, key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
`

export const storeItems: Migration = { version: 3, name: 'store-items', sql }
