/** The `revisions` table. */
import type { RevisionStore } from '../../core/deployment/deployment.ts'
import {
  isRevisionOver,
  type NewRevision,
  REVISION_STATUSES,
  REVISION_TRANSITIONS,
  type Revision,
  type RevisionStatus,
  type RevisionStep,
} from '../../core/deployment/revision.ts'
import {
  EMPTY_REVISION_CONFIG,
  type Resolved,
  type SourceRevisionConfig,
} from '../../core/deployment/sources/config.ts'
import { AppError } from '../../core/errors.ts'
import type { SecretBox } from '../../core/secret-box.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { countByStatus } from '../db/status-counts.ts'
import { PLACES } from './sealed-columns.ts'
import { openSecrets, sealSecrets } from './sealed-secrets.ts'

type RevisionRow = Omit<
  Revision,
  'source_revision_config' | 'source_config' | 'secrets' | 'parked_threads' | 'steps'
> & {
  /** A line each: the status, and when it began. */
  steps: string
  parked_threads: string | null
  source_revision_config: string
  source_config: string
  secrets: string
}

type Step = Parameters<RevisionStore['move']>[1]

const COLUMNS = `id, deployment_id, number, created_at, updated_at, status, status_message, source,
  source_revision_config, source_config, secrets, built_from, deployed_at,
  parked_threads, made_by, made_for, repeats, steps`

/** The states past QUEUED that are no ends. One revision of a deployment at a time may be there. */
const UNDER_WAY = REVISION_STATUSES.filter(
  (status) => !isRevisionOver(status) && status !== 'CREATING' && status !== 'QUEUED',
)

const INSERT = `
INSERT INTO revisions (${COLUMNS})
SELECT $1, id, 1 + coalesce((SELECT max(number) FROM revisions WHERE deployment_id = $2), 0),
  $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17
FROM deployments WHERE id = $2
RETURNING ${COLUMNS}`

const HOLD_DEPLOYMENT = 'SELECT 1 FROM deployments WHERE id = $1'

const MAKE_LATEST = 'UPDATE deployments SET latest_revision_id = $2 WHERE id = $1'

const GET = `SELECT ${COLUMNS} FROM revisions WHERE deployment_id = $1 AND id = $2`

const MOVE = `
UPDATE revisions
SET status = $3, status_message = coalesce($4, status_message), updated_at = $5,
  deployed_at = coalesce($6, deployed_at), steps = steps || $7
WHERE id = $1 AND status = $2`

const OTHER_UNDER_WAY = `
SELECT other.number AS number FROM revisions AS this
JOIN revisions AS other ON other.deployment_id = this.deployment_id AND other.id <> this.id
WHERE this.id = $1 AND this.status = $2 AND other.status IN ${inList(UNDER_WAY)}`

const GET_CONFIG = 'SELECT source_revision_config AS config FROM revisions WHERE id = $1'
const SET_CONFIG = 'UPDATE revisions SET source_revision_config = $2 WHERE id = $1'

/** `db` may be a transaction. */
export function createRevisionStore(db: Db, box: SecretBox): RevisionStore {
  const read = (row: RevisionRow) => toRevision(row, box)
  return {
    countByStatus: () => countByStatus(db, 'revisions'),
    insert: (revision) =>
      db.transaction(async (tx) => {
        // Otherwise two new revisions could take the same number.
        await tx.get(HOLD_DEPLOYMENT + tx.rowLocks.wait, [revision.deployment_id])
        const row = await tx.get<RevisionRow>(INSERT, toParams(revision, box))
        if (!row) throw missingDeployment(revision.deployment_id)
        await tx.run(MAKE_LATEST, [row.deployment_id, row.id])
        return read(row)
      }),
    get: async (deployment_id, id) => {
      const row = await db.get<RevisionRow>(GET, [deployment_id, id])
      return row && read(row)
    },
    list: async (deployment_id, { limit, offset, statuses = REVISION_STATUSES, also = null }) => {
      const params = [deployment_id, JSON.stringify(statuses), limit, offset, also]
      return (await db.all<RevisionRow>(listSql(db), params)).map(read)
    },
    move: async (id, step) => {
      refuseUnknownStep(id, step)
      return db.transaction((tx) => move(tx, id, step))
    },
    setParkedThreads: async (id, parked_threads) => {
      await db.run('UPDATE revisions SET parked_threads = $2 WHERE id = $1', [
        id,
        JSON.stringify(parked_threads),
      ])
    },
    setBuiltFrom: async (id, built_from) => {
      await db.run('UPDATE revisions SET built_from = $2 WHERE id = $1', [id, built_from])
    },
    setResolved: (id, resolved) => db.transaction((tx) => setResolved(tx, id, resolved)),
  }
}

function listSql(db: Db): string {
  return `
SELECT ${COLUMNS} FROM revisions
WHERE deployment_id = $1 AND (status IN ${db.json.texts('$2')} OR id = $5)
ORDER BY number DESC LIMIT $3 OFFSET $4`
}

function refuseUnknownStep(id: string, { from, to }: Step): void {
  if (REVISION_TRANSITIONS[from].includes(to)) return
  throw new AppError('internal', `Revision ${id} cannot go from ${from} to ${to}.`)
}

async function move(
  tx: Db,
  id: string,
  { from, to, status_message, deployed_at, updated_at }: Step,
): Promise<boolean> {
  if (UNDER_WAY.includes(to)) await refuseSecondUnderWay(tx, id, { from, to })
  const step = stepLine({ status: to, began_at: updated_at })
  const values = [status_message ?? null, updated_at, deployed_at ?? null, step]
  return (await tx.run(MOVE, [id, from, to, ...values])) === 1
}

/** Throws with a sentence where the index would refuse too. */
async function refuseSecondUnderWay(
  tx: Db,
  id: string,
  { from, to }: Pick<Step, 'from' | 'to'>,
): Promise<void> {
  const other = await tx.get<{ number: number }>(OTHER_UNDER_WAY, [id, from])
  if (!other) return
  throw new AppError(
    'conflict',
    `Revision ${id} cannot go to ${to} before revision ${other.number} of its deployment has ended.`,
  )
}

async function setResolved(tx: Db, id: string, resolved: Partial<Resolved>): Promise<void> {
  const row = await tx.get<{ config: string }>(GET_CONFIG, [id])
  if (!row) return
  const config: SourceRevisionConfig = { ...JSON.parse(row.config), ...resolved }
  await tx.run(SET_CONFIG, [id, JSON.stringify(config)])
}

function missingDeployment(id: string): AppError {
  return new AppError('not_found', `Deployment ID ${id} not found.`)
}

function toParams(revision: NewRevision, box: SecretBox): SqlValue[] {
  return [
    revision.id,
    revision.deployment_id,
    revision.created_at,
    revision.updated_at,
    revision.status,
    revision.status_message,
    revision.source,
    JSON.stringify(revision.source_revision_config),
    JSON.stringify(revision.source_config),
    sealSecrets(box, revision.secrets, PLACES.revision(revision.id)),
    revision.built_from,
    revision.deployed_at,
    revision.parked_threads && JSON.stringify(revision.parked_threads),
    revision.made_by,
    revision.made_for,
    revision.repeats,
    stepLine({ status: revision.status, began_at: revision.created_at }),
  ]
}

function toRevision(row: RevisionRow, box: SecretBox): Revision {
  const secrets = openSecrets(box, row.secrets, PLACES.revision(row.id))
  return {
    ...row,
    // Revisions of older versions have fewer members.
    source_revision_config: { ...EMPTY_REVISION_CONFIG, ...JSON.parse(row.source_revision_config) },
    source_config: JSON.parse(row.source_config),
    parked_threads: row.parked_threads && JSON.parse(row.parked_threads),
    steps: readSteps(row.steps),
    get secrets() {
      return secrets()
    },
  }
}

function stepLine({ status, began_at }: RevisionStep): string {
  return `${status} ${began_at}\n`
}

function readSteps(lines: string): RevisionStep[] {
  return lines.split('\n').flatMap((line) => {
    const [name, began_at] = line.split(' ')
    const status = REVISION_STATUSES.find((one) => one === name)
    return status && began_at ? [{ status, began_at }] : []
  })
}

function inList(statuses: readonly RevisionStatus[]): string {
  return `(${statuses.map((status) => `'${status}'`).join(', ')})`
}
