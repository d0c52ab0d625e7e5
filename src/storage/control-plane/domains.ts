/** The `domains` table. */
import type {
  Domain,
  DomainName,
  DomainStore,
  ReleasedDomain,
} from '../../core/deployment/domain.ts'
import type { SecretBox } from '../../core/secret-box.ts'
import type { Db } from '../db/db.ts'
import { table } from '../db/table.ts'
import { PLACES } from './sealed-columns.ts'

interface StoredDomain extends Domain {
  private_key?: string | null
}

const DOMAINS = table<StoredDomain>(
  'domains',
  'id, deployment_id, host, certificate, created_at, updated_at',
  { sealed: { private_key: PLACES.privateKey }, unread: ['private_key'] },
)
const RELEASED_DOMAINS = table<ReleasedDomain>(
  'released_domains',
  'host, workspace_id, released_at',
)

const GET = `SELECT ${DOMAINS.columns} FROM domains WHERE deployment_id = $1 AND host = $2`

const LIST = `SELECT ${DOMAINS.columns} FROM domains WHERE deployment_id = $1 ORDER BY created_at, id`

const LIST_HOSTS = 'SELECT host FROM domains WHERE deployment_id = $1 ORDER BY created_at, id'

const LIST_NAMES = `
SELECT domains.host, deployments.name,
  CASE WHEN domains.certificate IS NULL THEN NULL ELSE domains.updated_at END AS certificate_version
FROM domains JOIN deployments ON deployments.id = domains.deployment_id
ORDER BY domains.host`

const CERTIFICATE_OF = `
SELECT id, certificate, private_key FROM domains WHERE host = $1 AND certificate IS NOT NULL`

const RELEASED = `SELECT ${RELEASED_DOMAINS.columns} FROM released_domains WHERE host = $1`

/** `db` may be a transaction. */
export function createDomainStore(db: Db, box: SecretBox): DomainStore {
  const domains = DOMAINS.on(db, box)
  const released = RELEASED_DOMAINS.on(db)
  return {
    insert: (domain) =>
      domains.insert({ ...domain, certificate: null }, 'ON CONFLICT (host) DO NOTHING'),
    get: (deployment_id, host) => domains.get(GET, [deployment_id, host]),
    list: (deployment_id) => domains.all(LIST, [deployment_id]),
    listHosts: async (deployment_id) =>
      (await db.all<{ host: string }>(LIST_HOSTS, [deployment_id])).map(({ host }) => host),
    listNames: () => db.all<DomainName>(LIST_NAMES),
    setCertificate: async (id, given, updated_at) => {
      const { certificate = null, private_key = null } = given ?? {}
      await domains.update(id, { certificate, private_key, updated_at })
    },
    certificateOf: async (host) => {
      const { certificate, private_key } = (await domains.get(CERTIFICATE_OF, [host])) ?? {}
      return certificate && private_key ? { certificate, private_key } : undefined
    },
    delete: (id) => db.runAhead('DELETE FROM domains WHERE id = $1', [id]),
    release: (domain) => released.put(domain, 'host'),
    released: (host) => released.get(RELEASED, [host]),
    forgetReleased: (before) =>
      db.runAhead('DELETE FROM released_domains WHERE released_at < $1', [before]),
  }
}
