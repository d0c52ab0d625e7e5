/** What says that a build has ended well, and what it gave: `built.json`, which is written last. */
import { open, readFile, rename } from 'node:fs/promises'
import type { FolderArtifact } from '../core/deployment/artifact.ts'
import type { BuiltRevision } from '../core/deployment/build.ts'
import { revisionFolder } from './layout.ts'
import { isWhole, localProject } from './local-project.ts'

/** Builds of older versions have neither `bundle` nor `language`. */
interface BuiltRecord extends Omit<FolderArtifact, 'kind' | 'id' | 'bundle' | 'language'> {
  bundle?: FolderArtifact['bundle']
  language?: FolderArtifact['language']
  repo_commit_sha: string | null
  built_at: string
}

/** Through a crash: the whole of it is there, or nothing. `dir`: the builder's folder. */
export async function writeBuilt(
  dir: string,
  { artifact, repo_commit_sha }: BuiltRevision & { artifact: FolderArtifact },
  built_at: string,
): Promise<void> {
  const { kind: _, id, ...made } = artifact
  const { built } = revisionFolder(dir, id)
  const record: BuiltRecord = { ...made, repo_commit_sha, built_at }
  const unfinished = `${built}.part`
  const file = await open(unfinished, 'w', 0o600)
  await file
    .writeFile(`${JSON.stringify(record)}\n`)
    .then(() => file.sync())
    .finally(() => file.close())
  await rename(unfinished, built)
}

/** `undefined` where it has not ended well, or not all that it gave is there any more. */
export async function findBuilt(dir: string, id: string): Promise<BuiltRevision | undefined> {
  const text = await readIfThere(revisionFolder(dir, id).built)
  const record = text === undefined ? undefined : parse(text)
  if (!record) return undefined
  const { built_at: _, repo_commit_sha, ...made } = record
  const artifact = { bundle: null, language: 'javascript', ...made, kind: 'folder', id } as const
  return (await isWhole(localProject(dir, artifact))) ? { artifact, repo_commit_sha } : undefined
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

/** Text that a crash or a full disk has cut off says nothing: the revision is built again. */
function parse(text: string): BuiltRecord | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
