/** The `uploads` table. */
import type { Upload, UploadStore } from '../../core/deployment/upload.ts'
import type { Db } from '../db/db.ts'

const COLUMNS = 'object_path, deployment_id, created_at, uploaded_at, bytes'

const INSERT = `INSERT INTO uploads (${COLUMNS}) VALUES ($1, $2, $3, $4, $5)`
const GET = `SELECT ${COLUMNS} FROM uploads WHERE object_path = $1`
const LIST = `SELECT ${COLUMNS} FROM uploads WHERE deployment_id = $1 ORDER BY created_at, object_path`
const DELETE = 'DELETE FROM uploads WHERE object_path = $1'
const MARK_UPLOADED = 'UPDATE uploads SET uploaded_at = $2, bytes = $3 WHERE object_path = $1'

/** `db` may be a transaction. */
export function createUploadStore(db: Db): UploadStore {
  return {
    insert: async ({ object_path, deployment_id, created_at, uploaded_at, bytes }) => {
      await db.run(INSERT, [object_path, deployment_id, created_at, uploaded_at, bytes])
    },
    get: async (object_path) => {
      const row = await db.get<Upload>(GET, [object_path])
      return row && { ...row }
    },
    list: async (deployment_id) =>
      (await db.all<Upload>(LIST, [deployment_id])).map((row) => ({ ...row })),
    delete: async (object_path) => {
      await db.run(DELETE, [object_path])
    },
    markUploaded: async (object_path, uploaded_at, bytes) => {
      await db.run(MARK_UPLOADED, [object_path, uploaded_at, bytes])
    },
  }
}
