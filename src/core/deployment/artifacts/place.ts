/** Where several control planes find what was uploaded and built. */
import type { S3Address } from '../../s3-address.ts'

export type ArtifactsPlace =
  | { kind: 's3'; address: S3Address }
  /** A file system that every one of them mounts; absolute. */
  | { kind: 'folder'; path: string }
