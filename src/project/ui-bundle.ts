/**
 * Components of a project, bundled for pages. The page loads `entrypoint.js` and calls `render` of the
 * global `__LGUI_<name>`; both sides meet at global symbols of the SDK's `react-ui`, which hands the
 * page's own React, and what else is shared, to the bundle.
 */
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import type { BuildFailure, BuildOptions, BuildResult, Plugin } from 'esbuild'
import { z } from 'zod'
import type { UiBundle } from '../core/agent/server/project-settings.ts'
import { AppError } from '../core/errors.ts'
import { isJavascript, type JsModule, type ReadingConfig, resolveModule } from './module-spec.ts'

/** Modules that the page always has; a name includes the modules below it. */
const SHARED = ['react', 'react-dom', '@langchain/langgraph-sdk']

/**
 * Bundles the components of each graph that has some; calls `onSource` with each file that is part of them. Throws
 * `bad_request`, with the file and the line of what is wrong.
 */
export async function bundleUi(
  { root, ui: config }: { root: string; ui: UiConfig },
  onSource: (file: string) => void,
): Promise<Map<string, UiBundle>> {
  const bundles = new Map<string, UiBundle>()
  if (config.components.size === 0) return bundles
  const { build } = await import('esbuild')
  for (const [name, spec] of config.components) {
    const plugins = [sharePlugin([...SHARED, ...config.shared]), ...styles(spec)]
    const result = await asRefusal(name, () => build({ ...optionsOf(root, name, spec), plugins }))
    for (const path of sourcesOf(result)) onSource(join(root, path))
    bundles.set(name, { globalName: globalNameOf(name), files: filesOf(result) })
  }
  return bundles
}

function globalNameOf(name: string): string {
  return `__LGUI_${name.replace(/[^a-zA-Z0-9]/g, '_')}`
}

function optionsOf(root: string, name: string, { file }: JsModule) {
  return {
    absWorkingDir: root,
    stdin: { contents: entrypoint(file), resolveDir: root, sourcefile: 'entrypoint' },
    outfile: join(root, 'entrypoint.js'),
    write: false,
    bundle: true,
    metafile: true,
    format: 'iife',
    globalName: globalNameOf(name),
    platform: 'browser',
    target: 'es2020',
    jsx: 'automatic',
    // Packages that ask see a build for production.
    minify: true,
    loader: ASSETS,
    logLevel: 'silent',
  } satisfies BuildOptions
}

const ASSETS = Object.fromEntries(
  ['.png', '.jpg', '.jpeg', '.gif', '.webp', '.svg', '.woff', '.woff2', '.ttf'].map(
    (extension) => [extension, 'dataurl'] as const,
  ),
)

function entrypoint(file: string): string {
  return `
import components from ${JSON.stringify(file)}
export function render(name, shadowRootId) {
  const target = document.createElement('div')
  document.getElementById(shadowRootId).shadowRoot.appendChild(target)
  globalThis[Symbol.for('LGUI_EXT_STORE')].respond(shadowRootId, components[name], target)
}`
}

function sharePlugin(names: string[]): Plugin {
  const patterns = names.map((name) => name.split('*').map(escapeRegExp).join('.*'))
  return {
    name: 'shared modules',
    setup({ onResolve, onLoad }) {
      const namespace = 'shared'
      const filter = new RegExp(`^(${patterns.join('|')})(/.*)?$`)
      onResolve({ filter }, ({ path }) => ({ path, namespace }))
      onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: `module.exports = globalThis[Symbol.for('LGUI_REQUIRE')](${JSON.stringify(path)})`,
      }))
    },
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Tailwind needs a plugin, which is the project's own to install. */
function styles({ file }: JsModule): Plugin[] {
  const require = createRequire(file)
  try {
    require.resolve(TAILWIND)
  } catch {
    return []
  }
  const tailwind = require(TAILWIND) as { default: () => Plugin }
  return [tailwind.default()]
}

const TAILWIND = 'esbuild-plugin-tailwindcss'

async function asRefusal<T>(name: string, build: () => Promise<T>): Promise<T> {
  try {
    return await build()
  } catch (cause) {
    const { errors = [] } = cause as Partial<BuildFailure>
    const reasons = errors.map(({ text, location }) =>
      location ? `${location.file}:${location.line}:${location.column}: ${text}` : text,
    )
    const reason = reasons.join('\n') || String(cause)
    throw new AppError('bad_request', `ui "${name}" could not be bundled: ${reason}`, { cause })
  }
}

/** The sources that are files on disk. */
function sourcesOf({ metafile }: BuildResult): string[] {
  const inputs = Object.keys(metafile?.inputs ?? {})
  return inputs.filter((input) => !input.includes(':') && input !== 'entrypoint')
}

function filesOf({ outputFiles = [] }: BuildResult): UiBundle['files'] {
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]))
}

export interface UiConfig {
  /** The file of components of each graph, by the name that pages ask for. */
  components: Map<string, JsModule>
  /** Modules that the page provides instead of the bundle; `*` matches any text. */
  shared: string[]
}

export const UiEntry = z.record(
  z.string().min(1),
  z.string(),
  'write {"<graph>": "./<file>.tsx"}, whose default export holds the components by name',
)

export const UiConfigEntry = z.looseObject({
  shared: z.array(z.string(), 'write a list of module names').nullish(),
})

/**
 * `ui` and `ui_config` of `langgraph.json`: components that a page shows for a graph's messages. Throws `bad_request`.
 */
export async function readUiConfig(
  reading: ReadingConfig,
  ui: z.infer<typeof UiEntry> | null | undefined,
  config: z.infer<typeof UiConfigEntry> | null | undefined,
): Promise<UiConfig> {
  const components = new Map<string, JsModule>()
  for (const [name, path] of Object.entries(ui ?? {})) {
    const module = await resolveModule(reading, `ui "${name}"`, path, 'default')
    if (!isJavascript(module)) {
      const form = 'write the path of a .tsx file'
      throw new AppError(
        'bad_request',
        `${reading.name}: ui "${name}": "${path}" is Python; ${form}.`,
      )
    }
    components.set(name, module)
  }
  return { components, shared: config?.shared ?? [] }
}
