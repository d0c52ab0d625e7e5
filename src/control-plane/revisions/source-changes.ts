/** Compares the sources of two revisions: files line by line, lock files by packages. */
import { setImmediate as others } from 'node:timers/promises'
import { structuredPatch } from 'diff'
import type {
  LockedPackages,
  SourceFile,
  SourceSnapshot,
} from '../../core/deployment/sources/snapshot.ts'
import type { FileChange, PackageChange, SourceChanges } from './changes-schemas.ts'

const MAX_FILES = 300
const MAX_PACKAGES = 500
/** All patches together, in characters. */
const MAX_PATCHES = 256 * 1024
/** Files that differ in more lines have no patch: comparing them would take long. */
const MAX_CHANGED_LINES = 1000
/** How long the files of one request may be compared line by line, in ms. */
const MAX_COMPARING_MS = 300
/** How long one file may be, in ms: other requests wait meanwhile. */
const MAX_FILE_MS = 50

/** A file that changed, as it was before and after. `undefined`: it is not in that source. */
interface ChangedFile {
  path: string
  was: SourceFile | undefined
  is: SourceFile | undefined
}

/**
 * `isTextShown: false`: names and numbers only. Where files were left out of a source, only those in both are compared:
 * the state is `unknown` if they are the same.
 */
export async function sourceChanges(
  before: SourceSnapshot,
  after: SourceSnapshot,
  { isTextShown }: { isTextShown: boolean },
): Promise<SourceChanges> {
  const isWhole = before.left_out === 0 && after.left_out === 0
  const changed = changedFiles(before, after, isWhole)
  const packages = changedPackages(before.packages, after.packages)
  if (changed.length === 0 && packages.length === 0) return noChanges(isWhole ? 'same' : 'unknown')
  return {
    state: 'compared',
    files: await compareFiles(changed.slice(0, MAX_FILES), isTextShown),
    packages: packages.slice(0, MAX_PACKAGES),
    left_out: Math.max(0, changed.length - MAX_FILES) + Math.max(0, packages.length - MAX_PACKAGES),
  }
}

export function noChanges(state: Exclude<SourceChanges['state'], 'compared'>): SourceChanges {
  return { state, files: [], packages: [], left_out: 0 }
}

/** By path. Files that were left out of a source would look added or removed. */
function changedFiles(
  before: SourceSnapshot,
  after: SourceSnapshot,
  isWhole: boolean,
): ChangedFile[] {
  const [old, now] = [byPath(before), byPath(after)]
  const paths = [...new Set([...old.keys(), ...now.keys()])].toSorted()
  return paths
    .map((path) => ({ path, was: old.get(path), is: now.get(path) }))
    .filter(({ was, is }) => was?.digest !== is?.digest && (isWhole || (was && is)))
}

/** Other requests are served between two files. */
async function compareFiles(changed: ChangedFile[], isTextShown: boolean): Promise<FileChange[]> {
  const files: FileChange[] = []
  let room = MAX_PATCHES
  let leftMs = MAX_COMPARING_MS
  for (const { path, was, is } of changed) {
    const began = performance.now()
    const lines = linesOf(was, is, Math.min(leftMs, MAX_FILE_MS))
    leftMs -= performance.now() - began
    const patch = isTextShown && lines && lines.patch.length <= room ? lines.patch : null
    room -= patch?.length ?? 0
    files.push({
      path,
      kind: was ? (is ? 'changed' : 'removed') : 'added',
      before_bytes: was?.bytes ?? null,
      after_bytes: is?.bytes ?? null,
      added: lines?.added ?? null,
      removed: lines?.removed ?? null,
      patch,
    })
    await others()
  }
  return files
}

function byPath({ files }: SourceSnapshot): Map<string, SourceFile> {
  return new Map(files.map((file) => [file.path, file]))
}

function linesOf(was: SourceFile | undefined, is: SourceFile | undefined, leftMs: number) {
  const [old, now] = [was ? was.text : '', is ? is.text : '']
  if (old === null || now === null || leftMs <= 0) return undefined
  const options = { context: 3, maxEditLength: MAX_CHANGED_LINES, timeout: leftMs }
  const found = structuredPatch('', '', old, now, undefined, undefined, options)
  if (!found) return undefined
  const lines = found.hunks.flatMap((hunk) => hunk.lines)
  const hunks = found.hunks.map(({ oldStart, oldLines, newStart, newLines, lines: own }) =>
    [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...own].join('\n'),
  )
  return {
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
    patch: hunks.join('\n'),
  }
}

function changedPackages(
  before: SourceSnapshot['packages'],
  after: SourceSnapshot['packages'],
): PackageChange[] {
  const files = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  return files.flatMap((lock_file) =>
    changedVersions(before[lock_file] ?? {}, after[lock_file] ?? {}).map((change) => ({
      lock_file,
      ...change,
    })),
  )
}

function changedVersions(old: LockedPackages, now: LockedPackages) {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].toSorted()
  return names
    .map((name) => ({ name, before: old[name] ?? [], after: now[name] ?? [] }))
    .filter((one) => one.before.join(' ') !== one.after.join(' '))
}
