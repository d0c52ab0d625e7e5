/**
 * Code in a bundle that asks where its file lies gets the answer of its own file: an esbuild plugin. An import of what
 * only is known when it runs is made as from that file.
 */
import { readFile } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import type { Plugin } from 'esbuild'
import { PREFIX } from '../modules/hooks.ts'
import { findPackage } from '../modules/package-home.ts'
import { asCommonJs, isCommonJs } from './commonjs.ts'
import { packageFolder } from './package-closure.ts'

/** Stands in a bundle for what cannot be kept, and begins the names of what can. */
export const HERE = '__runyard_here'

/** What esbuild puts in the place of each, unless the file declares it itself. */
export const PLACES = {
  __dirname: `${HERE}_dirname`,
  __filename: `${HERE}_filename`,
  'import.meta.dirname': `${HERE}_dirname`,
  'import.meta.filename': `${HERE}_filename`,
  'import.meta.url': `${HERE}_url`,
  'import.meta': HERE,
  'require.resolve': `${HERE}_resolve`,
  // Of none of a project's modules: the program is Runyard's.
  'require.main': 'undefined',
}

/** Stands at the beginning of a bundle; its own place is known when it runs only. */
export const BANNER = [
  "import { createRequire as __runyardRequire } from 'node:module';",
  "import { dirname as __runyardFolder } from 'node:path';",
  "import { fileURLToPath as __runyardPath } from 'node:url';",
  // CommonJS in the bundle finds Node's own modules by it.
  'const require = __runyardRequire(import.meta.url);',
  'const __runyardPlace = (way) => { const { href } = new URL(way, import.meta.url); const filename = __runyardPath(href);',
  ' return { url: href, filename, dirname: __runyardFolder(filename), resolve: __runyardRequire(href).resolve } };',
  'const __runyardImport = (way, known) => async (name) => known[name]?.() ??',
  ` import('${PREFIX}' + encodeURIComponent(new URL(way, import.meta.url).href) + '/' + name);`,
].join('')

interface PlaceRules {
  /** The bundle's. */
  outputFolder: string
  /** Files of packages whose imports of what is not written there are made when they run; absolute. */
  importing: ReadonlySet<string>
}

/** `PLACES` are to be defined, and `BANNER` at the beginning. */
export function keepPlaces({ outputFolder, importing }: PlaceRules): Plugin {
  const wayTo = (file: string) =>
    JSON.stringify(relative(outputFolder, file).split(sep).map(encodeURIComponent).join('/'))
  return {
    name: 'places',
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path }) => {
        const isOpen = importing.has(path) || KNOWN_TABLE.test(path)
        if (!isOpen && packageFolder(path)) return undefined
        const text = await readFile(path, 'utf8')
        if (isOpen) return { contents: await importAsFrom(path, text, wayTo), loader: 'default' }
        const contents = ASKS.test(text) ? putBefore(text, declarePlace(wayTo(path))) : text
        if (await isCommonJs(path)) return asCommonJs(path, contents, build)
        return { contents, loader: 'default' }
      })
    },
  }
}

/** Known before a first bundle shows it, which would be written for nothing: most projects of today have it. */
const KNOWN_TABLE = /\/node_modules\/langchain\/dist\/chat_models\/universal\.c?js$/

const ASKS = /\b(__dirname|__filename|import\.meta|require\.resolve)\b/

function declarePlace(way: string): string {
  const names = ['dirname', 'filename', 'url', 'resolve'].map((name) => `${name}: ${HERE}_${name}`)
  return `var { ${names.join(', ')} } = __runyardPlace(${way});`
}

/** On the same line, so that lines keep their numbers. */
function putBefore(text: string, code: string): string {
  const [, head = '', strict = ''] = /^(#!.*\n)?\s*((["'])use strict\3;?)?/.exec(text) ?? []
  return (
    head + strict + (strict && !strict.endsWith(';') ? ';' : '') + code + text.slice(head.length)
  )
}

/** The installed packages that the file names in text are in the bundle: what they import must be one with what others do. */
async function importAsFrom(
  path: string,
  text: string,
  wayTo: (file: string) => string,
): Promise<string> {
  const known = ['__proto__: null']
  for (const name of packagesNamed(text)) {
    const quoted = JSON.stringify(name)
    if (await findPackage(path, name)) known.push(`${quoted}: () => import(${quoted})`)
  }
  const code = `const ${HERE}_import = __runyardImport(${wayTo(path)}, { ${known.join(', ')} });`
  return putBefore(text.replaceAll(OPEN_IMPORT, `${HERE}_import(`), code)
}

/** An `import()` of what is not written there. */
const OPEN_IMPORT = /\bimport\((?!\s*["'`][^"'`$]*["'`])/g

/** Whether the file names packages that it may import so. */
export async function namesPackages(path: string): Promise<boolean> {
  return packagesNamed(await readFile(path, 'utf8')).length > 0
}

/** An installed package that a bundled file may import by a path in it, which is not in the bundle; `undefined`: none. */
export async function importedWhenRun(path: string): Promise<string | undefined> {
  if (!KNOWN_TABLE.test(path)) return undefined
  const text = await readFile(path, 'utf8')
  for (const [, way = '', name = ''] of text.matchAll(/["']((@[\w.-]+\/[\w.-]+)\/[\w./-]+)["']/g)) {
    if (await findPackage(path, name)) return way
  }
  return undefined
}

/** What looks like the name of a package of a scope, in quotes. */
function packagesNamed(text: string): string[] {
  const names = [...text.matchAll(/["'](@[\w.-]+\/[\w.-]+)["']/g)].map(([, name = '']) => name)
  return [...new Set(names)]
}
