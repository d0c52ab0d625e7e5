/** Where several control planes share uploads and builds. */
import type { S3Address } from '../../s3-address.ts'

export type ArtifactsPlace =
  | { kind: 's3'; address: S3Address }
  /** A file system that all of them mount; absolute. */
  | { kind: 'folder'; path: string }
