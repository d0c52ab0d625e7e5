/** What packages outside of a bundle need beside themselves. */
import { existsSync } from 'node:fs'
import { readdir, readFile, realpath } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'

const IMPORT = /(?:\bfrom|\brequire\(|\bimport\()\s*["']((?:@[\w.-]+\/)?\.?[\w-][\w.-]*)/g

const PROGRAMS = /["'](?:node:)?(?:child_process|cluster)["']/

/**
 * Returns `<file> imports <name>` for an import that starts programs, or of a package that is installed but not a
 * declared dependency, as `@prisma/client` imports its generated one. `undefined`: none. `folders`: the packages with
 * all their dependencies; absolute, links resolved. `mayStart`: whether programs that a package starts are ignored.
 */
export async function needOfOutside(
  root: string,
  folders: string[],
  mayStart: (folder: string) => boolean,
): Promise<string | undefined> {
  const isAmong = (path: string) =>
    folders.some((folder) => path === folder || path.startsWith(folder + sep))
  for (const folder of folders) {
    const names = await readdir(folder, { recursive: true })
    for (const name of names.filter((one) => /\.[cm]?js$/.test(one))) {
      const file = join(folder, name)
      // A folder may have such a name.
      const text = await readFile(file, 'utf8').catch(() => '')
      const [program] = (!mayStart(folder) && PROGRAMS.exec(text)) || []
      const found = program ?? (await findUndeclared(file, text, isAmong))
      if (found !== undefined) return `${relative(root, file)} imports ${found}`
    }
  }
  return undefined
}

async function findUndeclared(
  file: string,
  text: string,
  isAmong: (path: string) => boolean,
): Promise<string | undefined> {
  for (const name of new Set([...text.matchAll(IMPORT)].map(([, one = '']) => one))) {
    const found = findInstalled(dirname(file), name)
    if (found && !isAmong(await realpath(found))) return name
  }
  return undefined
}

function findInstalled(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name)
    if (existsSync(place)) return place
    if (dirname(folder) === folder) return undefined
  }
}
