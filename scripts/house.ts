// `npm run house`: prints counts of the code, each with its limit. Exits with 1 if a count is over its limit.
// A change that needs more raises a limit here, and its commit says why; a change that removes code lowers it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript-api'

const root = resolve(import.meta.dirname, '..')
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g
const isTest = (file: string) => /\.test\.tsx?$/.test(file)

/** The files below a folder that people write: no declarations, nothing generated. */
function filesOf(folder: string, isCounted = (_file: string) => true): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.d|\.gen)\.tsx?$/.test(name) && !/(^|\/)node_modules\//.test(name))
    .map((name) => join(folder, name))
    .filter(isCounted)
}

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const linesOf = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + read(file).split('\n').length - 1, 0)

function importsOf(file: string): string[] {
  const targets = [...read(file).matchAll(IMPORT)].map(([, path = '']) => join(dirname(file), path))
  return targets.filter((target) => existsSync(join(root, target)))
}

/** The share of files with exactly one importer. */
function shareWithOneImporter(files: readonly string[]): number {
  const importers = new Map<string, number>()
  for (const file of files) {
    for (const target of new Set(importsOf(file))) {
      importers.set(target, (importers.get(target) ?? 0) + 1)
    }
  }
  const alone = files.filter((file) => importers.get(file) === 1)
  return (100 * alone.length) / files.length
}

/** The number of groups of files that import each other in a circle, by Tarjan's algorithm. */
function circles(files: readonly string[]): number {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  let found = 0
  const visit = (file: string) => {
    index.set(file, index.size)
    low.set(file, index.size - 1)
    stack.push(file)
    for (const target of importsOf(file)) {
      if (!index.has(target)) visit(target)
      const seen = stack.includes(target) ? low.get(target) : undefined
      if (seen !== undefined) low.set(file, Math.min(low.get(file) as number, seen))
    }
    if (low.get(file) !== index.get(file)) return
    const group = stack.splice(stack.indexOf(file))
    if (group.length > 1) found += 1
  }
  for (const file of files) if (!index.has(file)) visit(file)
  return found
}

/** The number of classes with eight or more mutable fields. */
function statefulClasses(files: readonly string[]): number {
  let count = 0
  for (const file of files) {
    const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest)
    const visit = (node: ts.Node): void => {
      if (ts.isClassLike(node) && node.members.filter(isMutableField).length >= 8) count += 1
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return count
}

function isMutableField(member: ts.ClassElement): boolean {
  if (!ts.isPropertyDeclaration(member)) return false
  return !member.modifiers?.some(({ kind }) =>
    [ts.SyntaxKind.ReadonlyKeyword, ts.SyntaxKind.StaticKeyword].includes(kind),
  )
}

function largestFolder(files: readonly string[]): number {
  const sizes = new Map<string, number>()
  for (const file of files) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1)
  return Math.max(...sizes.values())
}

const src = filesOf('src', (file) => !isTest(file))
const dashboard = filesOf('dashboard/src', (file) => !isTest(file))
const tests = [...filesOf('test'), ...filesOf('src', isTest), ...filesOf('dashboard/src', isTest)]

const COUNTS: [what: string, count: number, limit: number][] = [
  ['lines of src, without tests', linesOf(src), 101_700],
  ['files of src, without tests', src.length, 868],
  ['entries of src', readdirSync(join(root, 'src')).filter((name) => !isTest(name)).length, 23],
  ['files of src with one importer, in percent', Math.round(shareWithOneImporter(src)), 39],
  ['files in the largest folder of src', largestFolder(src), 22],
  ['classes of src with eight or more mutable fields', statefulClasses(src), 0],
  ['circles of files in src', circles(src), 0],
  ['circles of files in the dashboard', circles(dashboard), 0],
  ['lines of the dashboard, without tests', linesOf(dashboard), 29_400],
  ['lines of tests', linesOf(tests), 94_400],
]

for (const [what, count, limit] of COUNTS) {
  const word = count > limit ? ' TOO MUCH' : ''
  console.log(`${String(count).padStart(7)} of ${String(limit).padStart(7)}  ${what}${word}`)
}
process.exitCode = COUNTS.some(([, count, limit]) => count > limit) ? 1 : 0
