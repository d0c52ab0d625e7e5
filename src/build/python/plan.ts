/** What to install for a Python project, and what decides its versions. */
import { dirname, join } from 'node:path'
import type { PythonSettings } from '../../project/python/settings.ts'
import { isFile } from '../is-file.ts'
import { readSourceFile } from '../source-file.ts'

/** A project or a workspace of uv with its lock file. */
export interface LockedProject {
  /** Where `uv sync` runs: the project's folder, or that of a member of the workspace. */
  folder: string
  /** Where `uv.lock` lies. */
  top: string
  /** The workspace's member, if the folder does not say it. */
  package?: string
}

export interface PythonPlan {
  locked?: LockedProject
  /** Files of requirements, and `pyproject.toml` of projects that are no packages themselves. */
  requirementFiles: string[]
  /** Folders that are installed where they lie. */
  editables: string[]
  /** As pip reads them. */
  requirements: string[]
}

/** Where a project lies. */
interface Place {
  /** The folder of `langgraph.json`. */
  root: string
  /** The top of the source. */
  source: string
}

/**
 * The folders of `dependencies`, or the project's own where there are none: each by its `uv.lock`, its
 * `pyproject.toml` or its `requirements.txt`. `isLockUsed: false`: as if no folder had a `uv.lock`.
 */
export async function planPython(
  settings: PythonSettings,
  place: Place,
  { isLockUsed }: { isLockUsed: boolean },
): Promise<PythonPlan> {
  const plan: PythonPlan = { requirementFiles: [], editables: [], requirements: [] }
  if (settings.source) {
    const { root: folder, package: name } = settings.source
    return { ...plan, locked: { folder, top: folder, ...(name && { package: name }) } }
  }
  const folders = settings.dependencies.flatMap((one) =>
    one.kind === 'folder' ? [one.folder] : [],
  )
  if (settings.dependencies.length === 0) folders.push(place.root)
  for (const one of settings.dependencies) {
    if (one.kind === 'requirement') plan.requirements.push(one.requirement)
  }
  for (const folder of folders) {
    await addFolder(plan, folder, { source: place.source, isLockUsed })
  }
  return plan
}

async function addFolder(
  plan: PythonPlan,
  folder: string,
  { source, isLockUsed }: { source: string; isLockUsed: boolean },
): Promise<void> {
  const pyproject = await readSourceFile(source, join(folder, 'pyproject.toml'))
  const hasLock = isLockUsed && pyproject !== undefined
  const top = hasLock ? await findLock(folder, source) : undefined
  if (top !== undefined && !plan.locked) {
    plan.locked = { folder, top }
    return
  }
  if (await isPackage(folder, pyproject)) plan.editables.push(folder)
  else if (pyproject !== undefined && /^\[project\]/m.test(pyproject)) {
    plan.requirementFiles.push(join(folder, 'pyproject.toml'))
  } else if (await isFile(join(folder, 'requirements.txt'))) {
    plan.requirementFiles.push(join(folder, 'requirements.txt'))
  }
}

/** The folder of the project's own lock file, or of its workspace's. */
async function findLock(folder: string, source: string): Promise<string | undefined> {
  if (await isFile(join(folder, 'uv.lock'))) return folder
  for (let at = folder; at !== source && at !== dirname(at); ) {
    at = dirname(at)
    const project = await readSourceFile(source, join(at, 'pyproject.toml'))
    const isWorkspace = project !== undefined && /^\[tool\.uv\.workspace\]/m.test(project)
    if (isWorkspace && (await isFile(join(at, 'uv.lock')))) return at
  }
  return undefined
}

/** As uv has it: a `pyproject.toml` that does not say how to build only lists what it depends on. */
async function isPackage(folder: string, pyproject: string | undefined): Promise<boolean> {
  if (pyproject !== undefined && /^\[(build-system|tool\.poetry)\]/m.test(pyproject)) return true
  if (pyproject !== undefined && /^\s*package\s*=\s*true/m.test(pyproject)) return true
  return isFile(join(folder, 'setup.py'))
}
