/** The `deployments` table. */
import {
  type Deployment,
  type DeploymentFilter,
  type DeploymentStore,
  deploymentTypeOf,
} from '../../core/deployment/deployment.ts'
import type { SecretBox } from '../../core/secret-box.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { countByStatus, table } from '../db/table.ts'
import { PLACES } from './sealed-columns.ts'

/** Statements search `deployment_type`, and an inspection reads `forwards_api_key`. */
interface StoredDeployment extends Deployment {
  deployment_type: ReturnType<typeof deploymentTypeOf>
  forwards_api_key: boolean
}

const DEPLOYMENTS = table<StoredDeployment>(
  'deployments',
  `id, tenant_id, name, display_name, source, source_config, secrets, status, created_at, updated_at,
  latest_revision_id, active_revision_id, push_nonce, asleep_since, wake_at, has_own_auth,
  agent_key_nonce, is_public`,
  {
    json: ['source_config', 'secrets'],
    booleans: ['has_own_auth', 'is_public'],
    sealed: { secrets: PLACES.deployment },
    unread: ['deployment_type', 'forwards_api_key'],
  },
)

// The name must be free with `_` and `-` as the same character: names must differ as host names too.
const UNLESS_TAKEN = "ON CONFLICT (replace(name, '_', '-')) DO NOTHING"

const GET = `SELECT ${DEPLOYMENTS.columns} FROM deployments WHERE id = $1`
const LIST_ALL = `SELECT ${DEPLOYMENTS.columns} FROM deployments ORDER BY created_at, id`
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
SELECT ${DEPLOYMENTS.columns} FROM deployments WHERE ${matching(db)}
ORDER BY CASE WHEN name = $3 THEN 0 ELSE 1 END, created_at DESC, id DESC
LIMIT $7 OFFSET $8`

const countSql = (db: Db) => `SELECT count(*) AS count FROM deployments WHERE ${matching(db)}`

/** `db` may be a transaction. */
export function createDeploymentStore(db: Db, box: SecretBox): DeploymentStore {
  const deployments = DEPLOYMENTS.on(db, box)
  return {
    countByStatus: () => countByStatus(db, 'deployments'),
    insert: (deployment) => {
      const deployment_type = deploymentTypeOf(deployment.source_config)
      const stored = { ...deployment, deployment_type, forwards_api_key: false }
      return deployments.insert(stored, UNLESS_TAKEN)
    },
    get: (id) => deployments.get(GET, [id]),
    listAll: () => deployments.all(LIST_ALL),
    listIds: async () => (await db.all<{ id: string }>(LIST_IDS)).map(({ id }) => id),
    list: ({ limit, offset, ...filter }) =>
      deployments.all(listSql(db), [...filterParams(filter), limit, offset]),
    count: async (filter) => {
      const row = await db.get<{ count: number }>(countSql(db), filterParams(filter))
      return Number(row?.count ?? 0)
    },
    update: (id, patch) => deployments.update(id, patch),
    delete: (id) => db.runAhead('DELETE FROM deployments WHERE id = $1', [id]),
  }
}

function filterParams(filter: DeploymentFilter): SqlValue[] {
  const { tenant_id, name = '', name_contains = '' } = filter
  const { ids = [], statuses = [], deployment_types = [] } = filter
  const lists = [ids, statuses, deployment_types].map((list) => JSON.stringify(list))
  return [tenant_id, name, name_contains, ...lists]
}
