/** What one revision changed, on the wire. */
import { z } from '@hono/zod-openapi'
import { RevisionChangesSchema } from './history-schemas.ts'

/**
 * `before_bytes` and `after_bytes`: null where the file is not in that revision. `added` and `removed`: lines; null
 * for a file without a text (binary, larger than 128 KiB, a lock file, or one that may contain secrets) and for one
 * that changed too much. `patch`: the changed lines with three lines around them, each with `+`, `-` or a space in
 * front; null if the caller may not deploy, or where the patches before it are too long together.
 */
const FileChangeSchema = z
  .object({
    path: z.string(),
    kind: z.enum(['added', 'changed', 'removed']),
    before_bytes: z.int().nullable(),
    after_bytes: z.int().nullable(),
    added: z.int().nullable(),
    removed: z.int().nullable(),
    patch: z.string().nullable(),
  })
  .openapi('FileChange')

export type FileChange = z.infer<typeof FileChangeSchema>

/** `before` and `after`: its versions in the lock file; an empty list where it has none. */
const PackageChangeSchema = z
  .object({
    lock_file: z.string(),
    name: z.string(),
    before: z.array(z.string()),
    after: z.array(z.string()),
  })
  .openapi('PackageChange')

export type PackageChange = z.infer<typeof PackageChangeSchema>

/**
 * `state`: `compared`; `same`, where both have the same source; or why nothing is compared: `image`, where either is
 * an image (its digest is among the `fields`), and `unknown`, where a source was not noted, is not fetched yet, or has
 * too many files.
 * `left_out`: how many more files and packages changed.
 */
const SourceChangesSchema = z
  .object({
    state: z.enum(['compared', 'same', 'image', 'unknown']),
    files: z.array(FileChangeSchema),
    packages: z.array(PackageChangeSchema),
    left_out: z.int(),
  })
  .openapi('SourceChanges')

export type SourceChanges = z.infer<typeof SourceChangesSchema>

/** `changes` and `source`: null for the first revision. Compared as `RevisionChanges` says. */
export const RevisionComparisonSchema = z
  .object({
    revision_id: z.uuid(),
    number: z.int(),
    changes: RevisionChangesSchema.nullable(),
    source: SourceChangesSchema.nullable(),
  })
  .openapi('RevisionComparison')

export type RevisionComparison = z.infer<typeof RevisionComparisonSchema>
