/** `built.json`, which a build writes last: it marks success and names the result. */
import { open, readFile, rename } from 'node:fs/promises'
import type { FolderArtifact, ImageArtifact } from '../core/deployment/artifacts/artifact.ts'
import type { BuiltRevision } from '../core/deployment/builds/build.ts'
import { jsonIn } from '../core/json.ts'
import { revisionFolder } from './layout.ts'
import { isWhole, localProject } from './local-project.ts'

interface Noted {
  repo_commit_sha: string | null
  built_at: string
}

/** Builds of older versions have neither `bundle` nor `python`; some have a `language`. */
interface FolderRecord extends Noted, Omit<FolderArtifact, 'kind' | 'id' | 'bundle' | 'python'> {
  bundle?: FolderArtifact['bundle']
  python?: FolderArtifact['python']
  language?: 'javascript'
}

/** Records without `kind` are folders: older versions built nothing else. */
interface ImageRecord extends Noted, ImageArtifact {}

type BuiltRecord = (FolderRecord & { kind?: never }) | ImageRecord

/** Atomic: after a crash the file is complete or absent. `dir`: the builder's folder. */
export async function writeBuilt(
  dir: string,
  id: string,
  { artifact, repo_commit_sha }: BuiltRevision,
  built_at: string,
): Promise<void> {
  const { built } = revisionFolder(dir, id)
  const record: BuiltRecord = { ...recordOf(artifact), repo_commit_sha, built_at }
  const unfinished = `${built}.part`
  const file = await open(unfinished, 'w', 0o600)
  await file
    .writeFile(`${JSON.stringify(record)}\n`)
    .then(() => file.sync())
    .finally(() => file.close())
  await rename(unfinished, built)
}

function recordOf(artifact: BuiltRevision['artifact']) {
  if (artifact.kind === 'image') return artifact
  const { kind: _, id: _id, ...made } = artifact
  return made
}

/** `undefined` if the build did not succeed, or a part of its result was removed. */
export async function findBuilt(
  dir: string,
  id: string,
  place: { isElsewhere: boolean },
): Promise<BuiltRevision | undefined> {
  const text = await readIfThere(revisionFolder(dir, id).built)
  // Text cut off by a crash or a full disk counts as absent: the revision is built again.
  const record = text === undefined ? undefined : (jsonIn(text) as BuiltRecord | undefined)
  if (!record) return undefined
  const { built_at: _, repo_commit_sha, ...made } = record
  if (made.kind === 'image') return { artifact: made, repo_commit_sha }
  const { language: _language, ...rest } = made
  const artifact = { bundle: null, python: null, ...rest, kind: 'folder', id } as const
  return (await isWhole(localProject(dir, artifact), place))
    ? { artifact, repo_commit_sha }
    : undefined
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
