/** A source tarball on its way from a client to a revision. */
export interface Upload {
  /** The client sends it back as `source_tarball_path`. */
  object_path: string
  deployment_id: string
  created_at: string
  /** When the whole tarball had arrived. `null`: it has not. */
  uploaded_at: string | null
  bytes: number | null
}

/** The largest tarball that is accepted, in bytes: 200 MiB, as the official CLIs announce. */
export const MAX_TARBALL_BYTES = 200 * 1024 * 1024

/** Its name among the objects of the installation. */
export function uploadName(object_path: string): string {
  return `uploads/${object_path}`
}

export interface UploadStore {
  insert(upload: Upload): Promise<void>
  get(object_path: string): Promise<Upload | undefined>
  /** The uploads of a deployment, the oldest first. */
  list(deployment_id: string): Promise<Upload[]>
  delete(object_path: string): Promise<void>
  markUploaded(object_path: string, uploaded_at: string, bytes: number): Promise<void>
}
