/** The `uploads` table. */
import type { Upload, UploadStore } from '../../core/deployment/upload.ts'
import type { Db } from '../db/db.ts'
import { table } from '../db/table.ts'

const UPLOADS = table<Upload>(
  'uploads',
  'object_path, deployment_id, created_at, uploaded_at, bytes',
)

const GET = `SELECT ${UPLOADS.columns} FROM uploads WHERE object_path = $1`
const LIST = `SELECT ${UPLOADS.columns} FROM uploads WHERE deployment_id = $1 ORDER BY created_at, object_path`
const DELETE = 'DELETE FROM uploads WHERE object_path = $1'
const MARK_UPLOADED = 'UPDATE uploads SET uploaded_at = $2, bytes = $3 WHERE object_path = $1'

/** `db` may be a transaction. */
export function createUploadStore(db: Db): UploadStore {
  const uploads = UPLOADS.on(db)
  return {
    insert: (upload) => uploads.add(upload),
    get: (object_path) => uploads.get(GET, [object_path]),
    list: (deployment_id) => uploads.all(LIST, [deployment_id]),
    delete: (object_path) => db.runAhead(DELETE, [object_path]),
    markUploaded: (object_path, uploaded_at, bytes) =>
      db.runAhead(MARK_UPLOADED, [object_path, uploaded_at, bytes]),
  }
}
