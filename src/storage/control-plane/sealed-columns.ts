/** Lists every column with encrypted text, and encrypts them again when the key has changed. */

import type { SecretBox } from '../../core/secret-box.ts'
import type { Db } from '../db/db.ts'

/** The places of encrypted texts, by the row's id. Each text is bound to its place. */
export const PLACES = {
  deployment: (id: string) => `deployment/${id}/secrets`,
  revision: (id: string) => `revision/${id}/secrets`,
  privateKey: (id: string) => `domain/${id}/private-key`,
  accessToken: (id: string) => `oauth-token/${id}/access`,
  refreshToken: (id: string) => `oauth-token/${id}/refresh`,
  clientSecret: (id: string) => `oauth-provider/${id}/client-secret`,
  consent: (id: string) => `oauth-consent/${id}/secrets`,
  revocation: (id: string) => `oauth-revocation/${id}/secrets`,
  probe: () => 'encryption/probe',
} as const

interface SealedColumn {
  table: string
  column: string
  placeOf: (id: string) => string
}

/** The probe comes last: as long as it needs an older key, Runyard still asks for that key. */
const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'deployments', column: 'secrets', placeOf: PLACES.deployment },
  { table: 'revisions', column: 'secrets', placeOf: PLACES.revision },
  { table: 'domains', column: 'private_key', placeOf: PLACES.privateKey },
  { table: 'oauth_tokens', column: 'access_token', placeOf: PLACES.accessToken },
  { table: 'oauth_tokens', column: 'refresh_token', placeOf: PLACES.refreshToken },
  { table: 'oauth_providers', column: 'client_secret', placeOf: PLACES.clientSecret },
  { table: 'oauth_consents', column: 'secrets', placeOf: PLACES.consent },
  { table: 'oauth_revocations', column: 'secrets', placeOf: PLACES.revocation },
  { table: 'encryption_probe', column: 'sealed', placeOf: PLACES.probe },
]

/** How many rows are written together. */
const BATCH = 100

/**
 * Re-encrypts the texts of older keys with the box's present key; returns how many. It may be interrupted at any point:
 * each text then has one key or the other, and the next call continues.
 */
export async function resealAll(db: Db, box: SecretBox): Promise<number> {
  let count = 0
  for (const column of SEALED_COLUMNS) {
    for (;;) {
      const found = await db.transaction((tx) => resealBatch(tx, box, column))
      count += found
      if (found < BATCH) break
    }
  }
  return count
}

async function resealBatch(
  tx: Db,
  box: SecretBox,
  { table, column, placeOf }: SealedColumn,
): Promise<number> {
  const { sealedPrefix } = box
  const old = await tx.all<{ id: string; sealed: string }>(
    `SELECT id, ${column} AS sealed FROM ${table}
     WHERE substr(${column}, 1, ${sealedPrefix.length}) <> $1 LIMIT ${BATCH}`,
    [sealedPrefix],
  )
  const update = `UPDATE ${table} SET ${column} = $3 WHERE id = $1 AND ${column} = $2`
  for (const { id, sealed } of old) {
    const place = placeOf(id)
    await tx.run(update, [id, sealed, box.reseal(sealed, place)])
  }
  return old.length
}

/** How many encrypted texts none of the box's keys can open. `tables`: the tables of the database. */
export async function countUnopened(
  db: Db,
  box: SecretBox,
  tables: ReadonlySet<string>,
): Promise<number> {
  let count = 0
  for (const { table, column, placeOf } of SEALED_COLUMNS) {
    if (!tables.has(table)) continue
    const rows = await db.all<{ id: string; sealed: string }>(
      `SELECT id, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL`,
    )
    count += rows.filter(({ id, sealed }) => !opens(box, sealed, placeOf(id))).length
  }
  return count
}

function opens(box: SecretBox, sealed: string, place: string): boolean {
  try {
    box.open(sealed, place)
    return true
  } catch {
    return false
  }
}
