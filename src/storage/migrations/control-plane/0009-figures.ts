/** Samples of deployments and of the control plane, kept for a day. */
import type { Migration } from '../migrate.ts'

const sql = `
CREATE TABLE figures (
  -- Empty: the control plane itself.
  deployment_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  sample TEXT NOT NULL,
  PRIMARY KEY (deployment_id, at)
) STRICT, WITHOUT ROWID;

CREATE INDEX figures_age ON figures (at);
`

export const figures: Migration = { version: 9, name: 'figures', sql }
