/** The `domains` table. */
import type {
  Domain,
  DomainCertificate,
  DomainName,
  DomainStore,
  ReleasedDomain,
} from '../../core/deployment/domain.ts'
import type { SecretBox } from '../../core/secret-box.ts'
import type { Db } from '../db/db.ts'
import { PLACES } from './sealed-columns.ts'

const COLUMNS = 'id, deployment_id, host, certificate, created_at, updated_at'

const INSERT = `
INSERT INTO domains (id, deployment_id, host, created_at, updated_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (host) DO NOTHING`

const GET = `SELECT ${COLUMNS} FROM domains WHERE deployment_id = $1 AND host = $2`

const LIST = `SELECT ${COLUMNS} FROM domains WHERE deployment_id = $1 ORDER BY created_at, id`

const LIST_HOSTS = 'SELECT host FROM domains WHERE deployment_id = $1 ORDER BY created_at, id'

const LIST_NAMES = `
SELECT domains.host, deployments.name,
  CASE WHEN domains.certificate IS NULL THEN NULL ELSE domains.updated_at END AS certificate_version
FROM domains JOIN deployments ON deployments.id = domains.deployment_id
ORDER BY domains.host`

const SET_CERTIFICATE = `
UPDATE domains SET certificate = $2, private_key = $3, updated_at = $4 WHERE id = $1`

const CERTIFICATE_OF = `
SELECT id, certificate, private_key FROM domains WHERE host = $1 AND certificate IS NOT NULL`

const RELEASE = `
INSERT INTO released_domains (host, workspace_id, released_at) VALUES ($1, $2, $3)
ON CONFLICT (host) DO UPDATE SET workspace_id = excluded.workspace_id, released_at = excluded.released_at`

const RELEASED = 'SELECT host, workspace_id, released_at FROM released_domains WHERE host = $1'

/** `db` may be a transaction. */
export function createDomainStore(db: Db, box: SecretBox): DomainStore {
  return {
    insert: async ({ id, deployment_id, host, created_at, updated_at }) =>
      (await db.run(INSERT, [id, deployment_id, host, created_at, updated_at])) === 1,
    get: (deployment_id, host) => db.get<Domain>(GET, [deployment_id, host]),
    list: (deployment_id) => db.all<Domain>(LIST, [deployment_id]),
    listHosts: async (deployment_id) =>
      (await db.all<{ host: string }>(LIST_HOSTS, [deployment_id])).map(({ host }) => host),
    listNames: () => db.all<DomainName>(LIST_NAMES),
    setCertificate: async (id, given, updated_at) => {
      const sealed = given && box.seal(given.private_key, PLACES.privateKey(id))
      await db.run(SET_CERTIFICATE, [id, given?.certificate ?? null, sealed, updated_at])
    },
    certificateOf: async (host) => {
      const row = await db.get<DomainCertificate & { id: string }>(CERTIFICATE_OF, [host])
      if (!row) return undefined
      const private_key = box.open(row.private_key, PLACES.privateKey(row.id))
      return { certificate: row.certificate, private_key }
    },
    delete: async (id) => {
      await db.run('DELETE FROM domains WHERE id = $1', [id])
    },
    release: async ({ host, workspace_id, released_at }) => {
      await db.run(RELEASE, [host, workspace_id, released_at])
    },
    released: (host) => db.get<ReleasedDomain>(RELEASED, [host]),
    forgetReleased: async (before) => {
      await db.run('DELETE FROM released_domains WHERE released_at < $1', [before])
    },
  }
}
