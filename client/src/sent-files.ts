/** Which files of a project's folder are sent to a control plane: the same from a terminal and from a page. */
import ignore, { type Ignore } from 'ignore'

/** Never part of a deployment, whatever `.gitignore` says. */
const alwaysLeftOut = ignore().add([
  'node_modules',
  '.git',
  '.runyard',
  '.langgraph_api',
  '.venv',
  '__pycache__',
  '*.pyc',
  '.tox',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.env',
  '.env.*',
])

/** A folder with a file of this name is an environment of Python, whatever it is called. */
export const ENVIRONMENT_MARK = 'pyvenv.cfg'

/** The rules of one folder, for the paths below it. */
export interface FolderRules {
  /** The folder's path with a slash at the end; empty for the root. */
  base: string
  ignored: Ignore
}

/**
 * The files whose rules count in a folder. As for Docker, `.dockerignore` counts only at the root;
 * `.gitignore` counts in every folder.
 */
export function ignoreFilesOf(base: string): readonly string[] {
  return base === '' ? ['.gitignore', '.dockerignore'] : ['.gitignore']
}

/** `texts`: what those files say. */
export function folderRules(base: string, texts: readonly string[]): FolderRules {
  const ignored = ignore()
  for (const text of texts) ignored.add(text)
  return { base, ignored }
}

/**
 * Whether the rules leave the path out; a folder's ends with a slash. Those of the nearest folder that
 * matches decide.
 */
export function isLeftOut(path: string, rules: readonly FolderRules[]): boolean {
  if (alwaysLeftOut.ignores(path)) return true
  for (const { base, ignored } of rules.toReversed()) {
    const verdict = ignored.test(path.slice(base.length))
    if (verdict.ignored || verdict.unignored) return verdict.ignored
  }
  return false
}
