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
import { EMPTY_REVISION_CONFIG } from '../../core/deployment/sources/config.ts'
import { AppError } from '../../core/errors.ts'
import type { SecretBox } from '../../core/secret-box.ts'
import type { Db } from '../db/db.ts'
import { countByStatus, table } from '../db/table.ts'
import { PLACES } from './sealed-columns.ts'

/** `steps` has a line for each: the status, and when it began. */
type StoredRevision = Omit<Revision, 'steps'> & { steps: string }

type Step = Parameters<RevisionStore['move']>[1]

const REVISIONS = table<StoredRevision>(
  'revisions',
  `id, deployment_id, number, created_at, updated_at, status, status_message, source,
  source_revision_config, source_config, secrets, built_from, deployed_at, parked_threads, made_by,
  made_for, repeats, steps, message, commit_author, commit_subject`,
  {
    json: ['source_revision_config', 'source_config', 'secrets', 'parked_threads'],
    sealed: { secrets: PLACES.revision },
  },
)

/** The unfinished states past QUEUED. One revision of a deployment at a time may be in them. */
const UNDER_WAY = REVISION_STATUSES.filter(
  (status) => !isRevisionOver(status) && status !== 'CREATING' && status !== 'QUEUED',
)

const LAST_NUMBER = `
SELECT coalesce(max(number), 0) AS number FROM revisions WHERE deployment_id = $1`

const HOLD_DEPLOYMENT = 'SELECT 1 FROM deployments WHERE id = $1'

const MAKE_LATEST = 'UPDATE deployments SET latest_revision_id = $2 WHERE id = $1'

const GET = `SELECT ${REVISIONS.columns} FROM revisions WHERE deployment_id = $1 AND id = $2`

const BEFORE = `
SELECT ${REVISIONS.columns} FROM revisions WHERE deployment_id = $1 AND number < $2
ORDER BY deployed_at IS NULL, number DESC LIMIT 1`

const GET_BY_ID = `SELECT ${REVISIONS.columns} FROM revisions WHERE id = $1`

const MOVE = `
UPDATE revisions
SET status = $3, status_message = coalesce($4, status_message), updated_at = $5,
  deployed_at = coalesce($6, deployed_at), steps = steps || $7
WHERE id = $1 AND status = $2`

const OTHER_UNDER_WAY = `
SELECT other.number AS number FROM revisions AS this
JOIN revisions AS other ON other.deployment_id = this.deployment_id AND other.id <> this.id
WHERE this.id = $1 AND this.status = $2 AND other.status IN ${inList(UNDER_WAY)}`

/** `db` may be a transaction. */
export function createRevisionStore(db: Db, box: SecretBox): RevisionStore {
  const revisions = REVISIONS.on(db, box)
  return {
    countByStatus: () => countByStatus(db, 'revisions'),
    insert: (revision) => db.transaction((tx) => insert(tx, box, revision)),
    get: async (deployment_id, id) => {
      const stored = await revisions.get(GET, [deployment_id, id])
      return stored && toRevision(stored)
    },
    glances: (ids) => db.all(glancesSql(db), [JSON.stringify(ids)]),
    list: async (deployment_id, { limit, offset, statuses = REVISION_STATUSES, also = null }) => {
      const params = [deployment_id, JSON.stringify(statuses), limit, offset, also]
      return (await revisions.all(listSql(db), params)).map(toRevision)
    },
    before: async (deployment_id, number) => {
      const stored = await revisions.get(BEFORE, [deployment_id, number])
      return stored && toRevision(stored)
    },
    move: async (id, step) => {
      refuseUnknownStep(id, step)
      return db.transaction((tx) => move(tx, id, step))
    },
    setParkedThreads: (id, parked_threads) => revisions.update(id, { parked_threads }),
    setBuiltFrom: (id, built_from) => revisions.update(id, { built_from }),
    setCommit: (id, { author, subject }) =>
      revisions.update(id, { commit_author: author, commit_subject: subject }),
    setResolved: (id, resolved) =>
      db.transaction(async (tx) => {
        const stored = REVISIONS.on(tx, box)
        const before = await stored.get(GET_BY_ID, [id])
        if (!before) return
        const source_revision_config = { ...before.source_revision_config, ...resolved }
        await stored.update(id, { source_revision_config })
      }),
  }
}

async function insert(tx: Db, box: SecretBox, revision: NewRevision): Promise<Revision> {
  const { id, deployment_id, status, created_at } = revision
  // Otherwise two new revisions could take the same number.
  const deployment = await tx.get(HOLD_DEPLOYMENT + tx.rowLocks.wait, [deployment_id])
  if (!deployment) throw missingDeployment(deployment_id)
  const last = await tx.get<{ number: number }>(LAST_NUMBER, [deployment_id])
  const steps = stepLine({ status, began_at: created_at })
  const stored = { ...revision, number: Number(last?.number ?? 0) + 1, steps }
  await REVISIONS.on(tx, box).add(stored)
  await tx.run(MAKE_LATEST, [deployment_id, id])
  return toRevision(stored)
}

function glancesSql(db: Db): string {
  return `SELECT id, number, status FROM revisions WHERE id IN ${db.json.texts('$1')}`
}

function listSql(db: Db): string {
  return `
SELECT ${REVISIONS.columns} FROM revisions
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

/** Throws with a readable message before the index refuses. */
async function refuseSecondUnderWay(
  tx: Db,
  id: string,
  { from, to }: Pick<Step, 'from' | 'to'>,
): Promise<void> {
  const other = await tx.get<{ number: number }>(OTHER_UNDER_WAY, [id, from])
  if (!other) return
  throw new AppError(
    'conflict',
    `Revision ${id} cannot go to ${to} before #${other.number} of its deployment has ended.`,
  )
}

function missingDeployment(id: string): AppError {
  return new AppError('not_found', `Deployment ID ${id} not found.`)
}

function toRevision(stored: StoredRevision): Revision {
  // Revisions of older versions have fewer members.
  const source_revision_config = { ...EMPTY_REVISION_CONFIG, ...stored.source_revision_config }
  return Object.assign(stored, { source_revision_config, steps: readSteps(stored.steps) })
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
