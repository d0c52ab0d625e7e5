/** The control plane's database. Each noun has a file; they are put together here. */
import { randomBytes } from 'node:crypto'
import { systemClock, timestamp } from '../../core/clock.ts'
import { CONTROL_PLANE_SCHEMA } from '../../core/database-url.ts'
import type { ControlPlaneStore, OAuthStore } from '../../core/deployment/control-plane-store.ts'
import { AppError } from '../../core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '../../core/people/api-key.ts'
import type { SecretBox } from '../../core/secret-box.ts'
import type { Db } from '../db/db.ts'
import { createWriteCheck } from '../db/write-check.ts'
import { initial } from '../migrations/control-plane/0016-initial.ts'
import { revisionMessages } from '../migrations/control-plane/0017-revision-messages.ts'
import { type Migration, migrate } from '../migrations/migrate.ts'
import { openDb } from '../open-db.ts'
import { createApiKeyStore } from './api-keys.ts'
import { createAuditLogStore } from './audit-log.ts'
import { createDeploymentStore } from './deployments.ts'
import { createDomainStore } from './domains.ts'
import { createFiguresStore } from './figures.ts'
import { createLeadershipStore, underTerm } from './leadership.ts'
import { createListenerStore } from './listeners.ts'
import { createAgentConnectionStore } from './oauth/connections.ts'
import { createOAuthConsentStore } from './oauth/consents.ts'
import { createOAuthProviderStore } from './oauth/providers.ts'
import { createOAuthRevocationStore } from './oauth/revocations.ts'
import { createOAuthTokenEventStore } from './oauth/token-events.ts'
import { createOAuthTokenStore } from './oauth/tokens.ts'
import { createRevisionStore } from './revisions.ts'
import { PLACES, resealAll } from './sealed-columns.ts'
import { createSessionStore } from './sessions.ts'
import { createUploadStore } from './uploads.ts'
import { createWorkspaceStore } from './workspaces.ts'

/** In order. A change of the schema is a new migration at the end. */
export const CONTROL_PLANE_MIGRATIONS: readonly Migration[] = [initial, revisionMessages]

const ENSURE_WORKSPACE = `
INSERT INTO workspaces (id, name, created_at) VALUES ($1, 'Default', $2)
ON CONFLICT (id) DO NOTHING`

const ENSURE_PROBE = `
INSERT INTO encryption_probe (id, sealed) VALUES (1, $1) ON CONFLICT (id) DO NOTHING`

const SET_PROBE = 'UPDATE encryption_probe SET sealed = $1'
const SIGNING_KEY_BYTES = 32

/**
 * Opens a database, migrates it, and adds the default workspace if it is missing. `where` is a
 * `postgres://` URL or a file (made if missing; `:memory:` is not kept). `box` encrypts secrets and
 * tokens. Throws `conflict` when the database is newer than this code, `internal` when it was written
 * with another encryption key.
 */
export async function openControlPlaneStore(
  where: string,
  box: SecretBox,
): Promise<ControlPlaneStore> {
  const db = await openDb(where, CONTROL_PLANE_SCHEMA)
  try {
    await migrate(db, CONTROL_PLANE_MIGRATIONS)
    await db.run(ENSURE_WORKSPACE, [DEFAULT_WORKSPACE_ID, timestamp(systemClock)])
    return createStore(db, box, await openProbe(db, box))
  } catch (error) {
    await db.close()
    throw error
  }
}

/**
 * Opens the encrypted probe row, before anything else is encrypted: a database with texts of an unknown key could never
 * be read completely. Returns the row's content, the key that signs URLs.
 */
async function openProbe(db: Db, box: SecretBox): Promise<Uint8Array> {
  const place = PLACES.probe()
  const fresh = randomBytes(SIGNING_KEY_BYTES).toString('base64')
  await db.run(ENSURE_PROBE, [box.seal(fresh, place)])
  const row = await db.get<{ sealed: string }>('SELECT sealed FROM encryption_probe')
  const held = row ? box.open(row.sealed, place) : ''
  // The database is from a version whose row was empty.
  if (held === '') await db.run(SET_PROBE, [box.seal(fresh, place)])
  return Buffer.from(held || fresh, 'base64')
}

function createStore(db: Db, box: SecretBox, signingKey: Uint8Array): ControlPlaneStore {
  return {
    ...createParts(db, box),
    signingKey,
    transaction: (work) =>
      db.transaction((tx) => work(createTransactionStore(tx, box, signingKey))),
    reseal: () => resealAll(db, box),
    under: (term) => createStore(underTerm(db, term), box, signingKey),
    close: () => db.close(),
  }
}

function createTransactionStore(tx: Db, box: SecretBox, signingKey: Uint8Array): ControlPlaneStore {
  const refuse = async () => {
    throw new AppError(
      'internal',
      'A transaction cannot be nested or closed: it ends with its work.',
    )
  }
  const store: ControlPlaneStore = {
    ...createParts(tx, box),
    signingKey,
    transaction: refuse,
    reseal: refuse,
    // The outer transaction already checks the term.
    under: () => store,
    close: refuse,
  }
  return store
}

function createParts(
  db: Db,
  box: SecretBox,
): Omit<ControlPlaneStore, 'signingKey' | 'transaction' | 'reseal' | 'under' | 'close'> {
  return {
    deployments: createDeploymentStore(db, box),
    revisions: createRevisionStore(db, box),
    domains: createDomainStore(db, box),
    apiKeys: createApiKeyStore(db),
    oauth: createOAuthStore(db, box),
    uploads: createUploadStore(db),
    listeners: createListenerStore(db),
    sessions: createSessionStore(db),
    workspaces: createWorkspaceStore(db),
    auditLog: createAuditLogStore(db),
    figures: createFiguresStore(db),
    leadership: createLeadershipStore(db),
    ping: async () => {
      await db.get('SELECT 1')
    },
    checkWrites: createWriteCheck(db),
  }
}

/** The tables of the OAuth token vault. */
function createOAuthStore(db: Db, box: SecretBox): OAuthStore {
  return {
    providers: createOAuthProviderStore(db, box),
    tokens: createOAuthTokenStore(db, box),
    consents: createOAuthConsentStore(db, box),
    connections: createAgentConnectionStore(db),
    events: createOAuthTokenEventStore(db),
    revocations: createOAuthRevocationStore(db, box),
  }
}
