/**
 * The project's own CommonJS, as tsx makes it: in a package without `"type": "module"`, `import` is a `require` that Node
 * does, so that `module`, circles and the forms of packages are those of CommonJS. esbuild by itself would bundle such
 * files as ES modules.
 */
import { readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import type { Loader, OnLoadResult, PluginBuild } from 'esbuild'
import { tsconfigOf } from '../modules/tsconfig.ts'

/** Whether Node and tsx load the file as CommonJS. */
export async function isCommonJs(path: string): Promise<boolean> {
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
export async function asCommonJs(
  path: string,
  text: string,
  { esbuild, initialOptions }: PluginBuild,
): Promise<OnLoadResult> {
  const tsconfig = tsconfigOf(path)?.config
  const { target, platform, define } = initialOptions
  try {
    const { code } = await esbuild.transform(text, {
      ...{ format: 'cjs', sourcemap: 'inline', sourcesContent: false, sourcefile: path },
      ...(target !== undefined && { target }),
      ...(platform !== undefined && { platform }),
      ...(define && { define }),
      ...(tsconfig && { tsconfigRaw: JSON.stringify(tsconfig) }),
      loader: loaderOf(path),
    })
    return { contents: code, loader: 'js' }
  } catch (error) {
    return { errors: (error as { errors: OnLoadResult['errors'] }).errors ?? [] }
  }
}

function loaderOf(path: string): Loader {
  const extension = extname(path).replace(/^\.[cm]/, '.')
  return extension.slice(1) as Loader
}
