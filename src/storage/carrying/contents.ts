/**
 * How moves and backups treat every table of the schemas, and in which order they fill tables: a table comes after
 * those that its rows must refer to. `contents.test.ts` compares this with the migrations.
 */

/** The migrations that a database has. */
export const DATABASE_KINDS = ['control-plane', 'agent-server'] as const
export type DatabaseKind = (typeof DATABASE_KINDS)[number]

interface Contents {
  /** The tables to carry, in this order. Those of one list refer to each other, so they are filled as one. */
  carried: readonly (readonly string[])[]
  /** The tables to leave, and why. */
  left: Readonly<Record<string, string>>
  /** Columns with vectors, as `table.column`. */
  vectors: readonly string[]
}

const MIGRATIONS = 'the target’s own migrations fill it'

export const CONTENTS: Readonly<Record<DatabaseKind, Contents>> = {
  'control-plane': {
    carried: [
      ['workspaces'],
      ['api_keys'],
      ['encryption_probe'],
      ['deployments', 'revisions'],
      ['domains'],
      ['released_domains'],
      ['uploads'],
      ['listeners'],
      ['audit_log'],
      ['oauth_providers'],
      ['oauth_tokens'],
      ['oauth_connections'],
      ['oauth_consents'],
      ['oauth_token_events'],
      ['oauth_revocations'],
      ['sessions'],
      ['sign_in_codes'],
      ['figures'],
    ],
    left: {
      schema_migrations: MIGRATIONS,
      leadership:
        'who leads among the control planes of one database; the new one has no leader yet',
    },
    vectors: [],
  },
  'agent-server': {
    carried: [
      ['assistants'],
      ['assistant_labels'],
      ['assistant_versions'],
      ['threads'],
      ['thread_labels'],
      ['runs'],
      ['run_inputs'],
      ['run_timelines'],
      ['idempotency_keys'],
      ['event_counters'],
      ['events'],
      ['event_parts'],
      ['checkpoints'],
      ['channel_values'],
      ['channel_parts'],
      ['checkpoint_writes'],
      ['crons'],
      ['webhook_deliveries'],
      ['push_configs'],
      ['store_items'],
      ['store_item_vectors'],
    ],
    left: {
      schema_migrations: MIGRATIONS,
      servers: 'processes of the old place; the leases that they held end with the carrying',
    },
    vectors: ['store_item_vectors.vector'],
  },
}
