/**
 * An esbuild plugin: code in a bundle that asks for its file's path gets the path of its source file. An import whose
 * target is only known at run time is resolved from that file.
 */
import { readFile } from 'node:fs/promises'
import { dirname, extname, join, relative, sep } from 'node:path'
import type { Loader, OnLoadResult, Plugin, PluginBuild } from 'esbuild'
import { PREFIX, tsconfigOf } from '../modules/hooks.ts'
import { findPackage } from '../modules/package-home.ts'
import { packageFolder } from './resolve.ts'

/** Replaces places that a bundle cannot keep; the prefix of the names of those that it can. */
export const HERE = '__runyard_here'

/** What esbuild replaces each with, unless the file declares the name itself. */
export const PLACES = {
  __dirname: `${HERE}_dirname`,
  __filename: `${HERE}_filename`,
  'import.meta.dirname': `${HERE}_dirname`,
  'import.meta.filename': `${HERE}_filename`,
  'import.meta.url': `${HERE}_url`,
  'import.meta': HERE,
  'require.resolve': `${HERE}_resolve`,
  // No project module is the main module: the program is Runyard's.
  'require.main': 'undefined',
}

/** The first lines of a bundle; its path is only known at run time. */
export const BANNER = [
  "import { createRequire as __runyardRequire } from 'node:module';",
  "import { dirname as __runyardFolder } from 'node:path';",
  "import { fileURLToPath as __runyardPath } from 'node:url';",
  // CommonJS in the bundle loads Node's own modules with it.
  'const require = __runyardRequire(import.meta.url);',
  'const __runyardPlace = (way) => { const { href } = new URL(way, import.meta.url); const filename = __runyardPath(href);',
  ' return { url: href, filename, dirname: __runyardFolder(filename), resolve: __runyardRequire(href).resolve } };',
  'const __runyardImport = (way, known) => async (name) => known[name]?.() ??',
  ` import('${PREFIX}' + encodeURIComponent(new URL(way, import.meta.url).href) + '/' + name);`,
].join('')

interface PlaceRules {
  /** The folder of the bundle. */
  outputFolder: string
  /** Package files whose computed `import()` is resolved at run time; absolute. */
  importing: ReadonlySet<string>
  /** Receives the source map of each file that esbuild sees in another form, by its absolute path. */
  maps?: Map<string, string>
}

/** The bundle needs `PLACES` as its `define`, and `BANNER` at its beginning. */
export function keepPlaces({ outputFolder, importing, maps }: PlaceRules): Plugin {
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
        if (await isCommonJs(path)) return asCommonJs(path, contents, build, maps)
        return { contents, loader: 'default' }
      })
    },
  }
}

/** Listed because most projects have it: finding it would cost a first bundle that is thrown away. */
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

/** Packages that the file names in a string are in the bundle, so that all importers share one copy. */
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

/** An `import()` whose target is not a literal. */
const OPEN_IMPORT = /\bimport\((?!\s*["'`][^"'`$]*["'`])/g

/** Whether the file names packages that it may import so. */
export async function namesPackages(path: string): Promise<boolean> {
  return packagesNamed(await readFile(path, 'utf8')).length > 0
}

/** A module of an installed package that the file may import at run time and the bundle lacks; `undefined`: none. */
export async function importedWhenRun(path: string): Promise<string | undefined> {
  if (!KNOWN_TABLE.test(path)) return undefined
  const text = await readFile(path, 'utf8')
  for (const [, way = '', name = ''] of text.matchAll(/["']((@[\w.-]+\/[\w.-]+)\/[\w./-]+)["']/g)) {
    if (await findPackage(path, name)) return way
  }
  return undefined
}

/** Quoted texts that look like scoped package names. */
function packagesNamed(text: string): string[] {
  const names = [...text.matchAll(/["'](@[\w.-]+\/[\w.-]+)["']/g)].map(([, name = '']) => name)
  return [...new Set(names)]
}

/** Whether Node and tsx load the file as CommonJS. */
async function isCommonJs(path: string): Promise<boolean> {
  const extension = extname(path)
  if (extension.startsWith('.c')) return true
  if (extension.startsWith('.m')) return false
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
    if (text !== undefined) return JSON.parse(text).type !== 'module'
    if (folder === dirname(folder)) return true
  }
}

/** `text`: the file's content. Rejects with esbuild's error, such as `await` at the top level. */
async function asCommonJs(
  path: string,
  text: string,
  { esbuild, initialOptions }: PluginBuild,
  maps: Map<string, string> | undefined,
): Promise<OnLoadResult> {
  const tsconfig = tsconfigOf(path)?.config
  const { target, platform, define } = initialOptions
  try {
    const { code, map } = await esbuild.transform(text, {
      ...{ format: 'cjs', sourcemap: 'both', sourcesContent: false, sourcefile: path },
      ...(target !== undefined && { target }),
      ...(platform !== undefined && { platform }),
      ...(define && { define }),
      ...(tsconfig && { tsconfigRaw: JSON.stringify(tsconfig) }),
      loader: loaderOf(path),
    })
    maps?.set(path, map)
    return { contents: code, loader: 'js' }
  } catch (error) {
    return { errors: (error as { errors: OnLoadResult['errors'] }).errors ?? [] }
  }
}

function loaderOf(path: string): Loader {
  const extension = extname(path).replace(/^\.[cm]/, '.')
  return extension.slice(1) as Loader
}
