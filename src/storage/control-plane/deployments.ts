/** The `deployments` table. */
import {
  type Deployment,
  type DeploymentFilter,
  type DeploymentPatch,
  type DeploymentStore,
  deploymentTypeOf,
} from '../../core/deployment/deployment.ts'
import type { SecretBox } from '../../core/secret-box.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { countByStatus } from '../db/status-counts.ts'
import { PLACES } from './sealed-columns.ts'
import { openSecrets, sealSecrets } from './sealed-secrets.ts'

type DeploymentRow = Omit<
  Deployment,
  'source_config' | 'secrets' | 'has_own_auth' | 'is_public'
> & {
  has_own_auth: number | null
  is_public: number
  source_config: string
  secrets: string
}

const COLUMNS = `id, tenant_id, name, display_name, source, source_config, secrets, status,
  created_at, updated_at, latest_revision_id, active_revision_id, push_nonce, asleep_since, wake_at,
  has_own_auth, agent_key_nonce, is_public`

// The name must be free with `_` and `-` as the same character: names must differ as host names too.
const INSERT = `
INSERT INTO deployments (${COLUMNS}, deployment_type)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
ON CONFLICT (replace(name, '_', '-')) DO NOTHING`

const GET = `SELECT ${COLUMNS} FROM deployments WHERE id = $1`
const GET_BY_NAME = `SELECT ${COLUMNS} FROM deployments WHERE name = $1`
const LIST_ALL = `SELECT ${COLUMNS} FROM deployments ORDER BY created_at, id`
const LIST_IDS = 'SELECT id FROM deployments ORDER BY created_at, id'

// `replace` instead of LIKE: a `_` in the text is not a wildcard.
const matching = ({ json }: Db) => `
tenant_id = $1
  AND ($2 = '' OR name = $2)
  AND ($3 = '' OR replace(name, $3, '') <> name)
  AND ($4 = '[]' OR id IN ${json.texts('$4')})
  AND ($5 = '[]' OR status IN ${json.texts('$5')})
  AND ($6 = '[]' OR deployment_type IN ${json.texts('$6')})`

const listSql = (db: Db) => `
SELECT ${COLUMNS} FROM deployments WHERE ${matching(db)}
ORDER BY CASE WHEN name = $3 THEN 0 ELSE 1 END, created_at DESC, id DESC
LIMIT $7 OFFSET $8`

const countSql = (db: Db) => `SELECT count(*) AS count FROM deployments WHERE ${matching(db)}`

/** `db` may be a transaction. */
export function createDeploymentStore(db: Db, box: SecretBox): DeploymentStore {
  const read = (row: DeploymentRow) => toDeployment(row, box)
  const find = async (sql: string, key: string) => {
    const row = await db.get<DeploymentRow>(sql, [key])
    return row && read(row)
  }
  return {
    countByStatus: () => countByStatus(db, 'deployments'),
    insert: async (deployment) => (await db.run(INSERT, toParams(deployment, box))) === 1,
    get: (id) => find(GET, id),
    getByName: (name) => find(GET_BY_NAME, name),
    listAll: async () => (await db.all<DeploymentRow>(LIST_ALL)).map(read),
    listIds: async () => (await db.all<{ id: string }>(LIST_IDS)).map(({ id }) => id),
    list: async ({ limit, offset, ...filter }) => {
      const params = [...filterParams(filter), limit, offset]
      return (await db.all<DeploymentRow>(listSql(db), params)).map(read)
    },
    count: async (filter) => {
      const row = await db.get<{ count: number }>(countSql(db), filterParams(filter))
      return Number(row?.count ?? 0)
    },
    update: async (id, patch) => {
      const columns = toColumns(id, patch, box)
      const assignments = columns.map(([column], index) => `${column} = $${index + 2}`)
      const sql = `UPDATE deployments SET ${assignments.join(', ')} WHERE id = $1`
      await db.run(sql, [id, ...columns.map(([, value]) => value)])
    },
    delete: async (id) => {
      await db.run('DELETE FROM deployments WHERE id = $1', [id])
    },
  }
}

function filterParams(filter: DeploymentFilter): SqlValue[] {
  const { tenant_id, name = '', name_contains = '' } = filter
  const { ids = [], statuses = [], deployment_types = [] } = filter
  const lists = [ids, statuses, deployment_types].map((list) => JSON.stringify(list))
  return [tenant_id, name, name_contains, ...lists]
}

/**
 * The columns that the patch changes, always in the same order, so that there are few statements to
 * prepare.
 */
function toColumns(id: string, patch: DeploymentPatch, box: SecretBox): [string, SqlValue][] {
  const { source_config, secrets } = patch
  const columns: [string, SqlValue | undefined][] = [
    ['display_name', patch.display_name],
    ['source_config', source_config && JSON.stringify(source_config)],
    ['secrets', secrets && sealSecrets(box, secrets, PLACES.deployment(id))],
    ['status', patch.status],
    ['active_revision_id', patch.active_revision_id],
    ['push_nonce', patch.push_nonce],
    ['agent_key_nonce', patch.agent_key_nonce],
    ['asleep_since', patch.asleep_since],
    ['wake_at', patch.wake_at],
    ['has_own_auth', patch.has_own_auth === undefined ? undefined : truth(patch.has_own_auth)],
    ['is_public', patch.is_public === undefined ? undefined : truth(patch.is_public)],
    [
      'forwards_api_key',
      patch.forwards_api_key === undefined ? undefined : truth(patch.forwards_api_key),
    ],
    ['updated_at', patch.updated_at],
  ]
  return columns.filter((column): column is [string, SqlValue] => column[1] !== undefined)
}

function toParams(deployment: Deployment, box: SecretBox): SqlValue[] {
  return [
    deployment.id,
    deployment.tenant_id,
    deployment.name,
    deployment.display_name,
    deployment.source,
    JSON.stringify(deployment.source_config),
    sealSecrets(box, deployment.secrets, PLACES.deployment(deployment.id)),
    deployment.status,
    deployment.created_at,
    deployment.updated_at,
    deployment.latest_revision_id,
    deployment.active_revision_id,
    deployment.push_nonce,
    deployment.asleep_since,
    deployment.wake_at,
    truth(deployment.has_own_auth),
    deployment.agent_key_nonce,
    truth(deployment.is_public),
    deploymentTypeOf(deployment.source_config),
  ]
}

function toDeployment(row: DeploymentRow, box: SecretBox): Deployment {
  const secrets = openSecrets(box, row.secrets, PLACES.deployment(row.id))
  return {
    ...row,
    source_config: JSON.parse(row.source_config),
    get secrets() {
      return secrets()
    },
    has_own_auth: row.has_own_auth === null ? null : Number(row.has_own_auth) === 1,
    is_public: Number(row.is_public) === 1,
  }
}

function truth(value: boolean | null): SqlValue {
  return value === null ? null : Number(value)
}
