/** Compares the sources of two revisions: files line by line, lock files by packages. */
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
/** How long files may be compared line by line, in ms: other requests wait meanwhile. */
const MAX_COMPARING_MS = 300

/** `isTextShown: false`: names and numbers only. */
export function sourceChanges(
  before: SourceSnapshot,
  after: SourceSnapshot,
  { isTextShown }: { isTextShown: boolean },
): SourceChanges {
  const paths = changedPaths(before, after)
  const packages = changedPackages(before.packages, after.packages)
  if (paths.length === 0 && packages.length === 0) return noChanges('same')
  return {
    state: 'compared',
    files: changedFiles(paths, before, after, isTextShown),
    packages: packages.slice(0, MAX_PACKAGES),
    left_out: Math.max(0, paths.length - MAX_FILES) + Math.max(0, packages.length - MAX_PACKAGES),
  }
}

export function noChanges(state: Exclude<SourceChanges['state'], 'compared'>): SourceChanges {
  return { state, files: [], packages: [], left_out: 0 }
}

function changedPaths(before: SourceSnapshot, after: SourceSnapshot): string[] {
  const [old, now] = [byPath(before), byPath(after)]
  // Files that were left out of one of them would look added or removed.
  const isWhole = before.left_out === 0 && after.left_out === 0
  const paths = [...new Set([...old.keys(), ...now.keys()])].toSorted()
  return paths.filter((path) => {
    const [was, is] = [old.get(path), now.get(path)]
    return was?.digest !== is?.digest && (isWhole || (was && is))
  })
}

function changedFiles(
  paths: string[],
  before: SourceSnapshot,
  after: SourceSnapshot,
  isTextShown: boolean,
): FileChange[] {
  const [old, now] = [byPath(before), byPath(after)]
  let room = MAX_PATCHES
  const until = performance.now() + MAX_COMPARING_MS
  return paths.slice(0, MAX_FILES).map((path) => {
    const [was, is] = [old.get(path), now.get(path)]
    const lines = linesOf(was, is, until - performance.now())
    const patch = isTextShown && lines && lines.patch.length <= room ? lines.patch : null
    room -= patch?.length ?? 0
    return {
      path,
      kind: was ? (is ? 'changed' : 'removed') : 'added',
      before_bytes: was?.bytes ?? null,
      after_bytes: is?.bytes ?? null,
      added: lines?.added ?? null,
      removed: lines?.removed ?? null,
      patch,
    }
  })
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
