// Bundles the agent server into few files, so that a deployment starts with a handful of modules instead of a
// thousand. Plain JavaScript, like prepare.mjs, which calls it in a clone.
//
// `node bundle-server.mjs` bundles everything for the published package: from `dist/src` to `dist/server`, all programs
// with the packages that they import. Packages that cannot be bundled go to `dist/node_modules`, without their unused
// files (docs/decisions/0109-the-published-package-is-a-bundle.md). `node bundle-server.mjs src TO` bundles as a clone does.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Programs with a process of their own: an agent server, and the last step of a build. */
const PROGRAMS = {
  'agent-program': 'main/agent-program',
  'bundle-command': 'main/builds/bundle-command',
}
/** The others of the published package. */
const MORE_PROGRAMS = {
  program: 'cli/program',
  main: 'main',
  'type-extraction-worker': 'graph/js/schemas/type-extraction-worker',
}
/** Packages that need files beside them, that compile, or that must be the same copy as the project's. */
const OUTSIDE = [
  ...['esbuild', 'tsx', 'typescript-api', 'sqlite-vec', '@opentelemetry', 'swagger-ui-dist'],
  ...['pg-native', 'cloudflare:sockets'],
]
/** Outside of the published package's bundle too; `.node` files and `cpu-features` only make ssh faster, if compiled. */
const OUTSIDE_PACKAGE = [
  ...['esbuild', 'tsx', 'typescript-api', 'sqlite-vec'],
  ...['pg-native', 'cloudflare:sockets', 'cpu-features', '*.node'],
]
/** What the published package has of them; `sqlite-vec` and esbuild's binaries have packages for each platform. */
const OWN_PACKAGES = {
  esbuild: /^lib\/main\.js$|^LICENSE/,
  tsx: /^dist\/.*\.[cm]?js$|^LICENSE/,
  'typescript-api': /^lib\/(typescript\.js|lib\..*d\.ts)$|^LICENSE|^ThirdParty/,
}
/** Modules that `serve` never loads. */
const OTHER_COMMANDS =
  /\/(up|dev|listener|doctor|move|backup|restore|fetch|client-commands|deploy-example)\.(ts|js)$/
/** Stands for `import.meta.url` in each module: the URL of its source, by which it finds our files. */
const PLACE = '__runyardPlace'
/** `graph/js/schemas/static.ts`: a thread that starts from a source would load TypeScript's parser, 30 MB. */
const SIBLING = /siblingModule\('([\w-]+)', import\.meta\.url\)/g
/** The namespace of `@hono/zod-openapi` with a `z` of its own. */
const EXTENDED = 'extended'
/** Hides the calls of `require` from esbuild. */
const OWN_REQUIRE = /^const require = createRequire\(import\.meta\.url\);?$/m
/** The namespace in which late imported packages get their exports, and the mark of paths resolved for it. */
const LATE = 'late'
const OWN_RESOLVE = Symbol('the path of a late package')
/** How long parts of an older bundle stay. */
const KEPT_MS = 86_400_000
const BANNER = [
  "import { createRequire as __runyardRequire } from 'node:module';",
  'const __runyardBundle = import.meta.url;',
  'const require = __runyardRequire(__runyardBundle);',
].join(' ')

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [from = 'dist/src', to = 'dist/server'] = process.argv.slice(2)
  const isPackage = from === 'dist/src'
  await bundleServer(from, to, { isPackage })
  if (isPackage) for (const name of Object.keys(OWN_PACKAGES)) await copyPackage(name)
}

/** In a clone: rebuilds after a change of a source, a package or this file. A failure only makes starts slower. */
export async function refreshBundle() {
  try {
    if (isFresh('dist/server')) return
    await bundleServer('src', 'dist/server')
  } catch (error) {
    console.error(
      `runyard: the agent server was not bundled, so that it starts more slowly: ${error.message}`,
    )
  }
}

/**
 * Both are folders of the checkout. Servers that run from an older bundle may still load parts of it: those stay for a
 * day. The record is written last, so that an unfinished bundle does not count.
 */
async function bundleServer(from, to, { isPackage = false } = {}) {
  const { build, transform } = await import('esbuild')
  const programs = isPackage ? { ...PROGRAMS, ...MORE_PROGRAMS } : PROGRAMS
  const outside = isPackage ? OUTSIDE_PACKAGE : OUTSIDE
  const extension = from === 'src' ? 'ts' : 'js'
  const { metafile, outputFiles } = await build({
    entryPoints: Object.fromEntries(
      Object.entries(programs).map(([name, path]) => [
        name,
        join(root, from, `${path}.${extension}`),
      ]),
    ),
    ...{
      outdir: join(root, to),
      absWorkingDir: root,
      bundle: true,
      splitting: true,
      metafile: true,
    },
    ...{ format: 'esm', platform: 'node', target: 'node22.18', legalComments: 'none' },
    external: outside.flatMap((name) => (name.startsWith('*') ? name : [name, `${name}/*`])),
    define: { 'import.meta.url': PLACE, __dirname: 'import.meta.dirname' },
    banner: { js: BANNER },
    plugins: [
      keepPlaces(join(root, to), { programs, isPackage }),
      nameExports(),
      ...(isPackage ? [shorten(transform)] : []),
    ],
    logLevel: 'error',
    write: false,
  })
  const inputs = Object.keys(metafile.inputs).filter(
    (path) => ![LATE, EXTENDED].some((one) => path.startsWith(`${one}:`)),
  )
  mkdirSync(join(root, to), { recursive: true })
  const isEntry = ({ path }) => basename(path, '.js') in programs
  const inOrder = outputFiles.toSorted((a, b) => Number(isEntry(a)) - Number(isEntry(b)))
  for (const { path, contents } of inOrder) replace(path, contents)
  replace(join(root, to, 'LICENSES.txt'), licenses(inputs))
  requireServer(join(root, to, 'agent-program.js'))
  replace(join(root, to, 'made-from.json'), JSON.stringify(record(from, inputs)))
  removeOld(join(root, to), new Set(outputFiles.map(({ path }) => basename(path))))
}

/** Without scripts: npm warns of a package that has an install script, and needs none of these. */
async function copyPackage(name) {
  const { transform } = await import('esbuild')
  const [from, to] = [join(root, 'node_modules', name), join(root, 'dist/node_modules', name)]
  const files = readdirSync(from, { recursive: true }).filter((path) =>
    OWN_PACKAGES[name].test(path.replaceAll('\\', '/')),
  )
  for (const path of files) cpSync(join(from, path), join(to, path))
  if (name === 'typescript-api') {
    const text = readFileSync(join(from, 'lib/typescript.js'), 'utf8')
    const { code } = await transform(text, { minifyWhitespace: true })
    writeFileSync(join(to, 'lib/typescript.js'), code)
  }
  const fields = ['name', 'version', 'license', 'type', 'main', 'exports', 'imports']
  const about = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  const kept = Object.fromEntries(fields.map((field) => [field, about[field]]))
  writeFileSync(join(to, 'package.json'), JSON.stringify(kept))
}

/** Throws unless the bundle reports a missing project: then all of its modules could be evaluated. */
function requireServer(program) {
  const args = [program, 'serve', '--config', join(root, 'no-project.json')]
  // The settings are for the server that is about to start, not for this check.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('RUNYARD_')),
  )
  const { stderr, error } = spawnSync(ownNode(), args, { env, encoding: 'utf8', timeout: 60_000 })
  if (error) throw error
  if (!stderr.includes('There is no no-project.json')) {
    throw new Error(`the bundle does not start: ${stderr}`)
  }
}

/** Node as `bin/runyard` chooses it: the machine's own may be too old. */
function ownNode() {
  const { platform, arch, execPath } = process
  const own = join(root, `node_modules/node-${platform}-${arch}/bin/node`)
  return existsSync(own) ? own : execPath
}

/** Readers always find a complete file. */
function replace(path, contents) {
  const unfinished = `${path}.${process.pid}`
  writeFileSync(unfinished, contents)
  renameSync(unfinished, path)
}

function removeOld(folder, kept) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (!name.endsWith('.js') || kept.has(name)) continue
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { force: true })
  }
}

function keepPlaces(outdir, { programs, isPackage }) {
  return {
    name: 'places',
    setup(build) {
      build.onResolve({ filter: OTHER_COMMANDS }, ({ path, kind }) =>
        kind === 'dynamic-import' && !isPackage ? { path, external: true } : undefined,
      )
      // It adds methods to zod. Between parts of a bundle only an import that is used keeps its order: this `z` is one.
      build.onResolve({ filter: /^@hono\/zod-openapi$/ }, ({ path, namespace }) =>
        namespace === EXTENDED ? undefined : { path, namespace: EXTENDED },
      )
      build.onLoad({ filter: /.*/, namespace: EXTENDED }, ({ path }) => ({
        contents: `import { z as own, OpenAPIHono } from '${path}'
          export * from '${path}'
          export const z = [own, OpenAPIHono][0]`,
        resolveDir: root,
      }))
      // Refusals are in English; the other forty languages would be read at each start.
      build.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
        contents: "export { default as en } from './en.js'",
      }))
      build.onLoad({ filter: /\.(ts|js|mjs)$/, namespace: 'file' }, ({ path }) => {
        const text = readFileSync(path, 'utf8')
        if (!text.includes('import.meta.url')) return undefined
        const way = JSON.stringify(relative(outdir, path))
        // In a clone, a required package may be installed later.
        const requiring = isPackage ? text.replace(OWN_REQUIRE, '') : text
        const own = requiring.replace(SIBLING, (call, name) =>
          name in programs ? `new URL('${name}.js', __runyardBundle)` : call,
        )
        const contents = `const ${PLACE} = new URL(${way}, __runyardBundle).href;\n${own}`
        return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' }
      })
    },
  }
}

/** Removes the comments of the Kubernetes client: 16 MB become 9. */
function shorten(transform) {
  return {
    name: 'shortened packages',
    setup(build) {
      build.onLoad({ filter: /@kubernetes\/client-node\/dist\/.*\.js$/ }, async ({ path }) => {
        const { code } = await transform(readFileSync(path, 'utf8'), { minifyWhitespace: true })
        return { contents: code }
      })
    },
  }
}

/**
 * Gives a late imported CommonJS package the same exports as in the sources: esbuild alone exports nothing but
 * `default`, and `Agent` of `const { Agent } = await import('undici')` would be `undefined`.
 */
function nameExports() {
  return {
    name: 'exports of late packages',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === OWN_RESOLVE) return undefined
        const found = await build.resolve(path, { kind, resolveDir, pluginData: OWN_RESOLVE })
        if (found.external || found.errors.length > 0) return found
        return { path: found.path, namespace: LATE }
      })
      build.onLoad({ filter: /.*/, namespace: LATE }, ({ path }) => ({
        contents: `export ${exportsOf(path)} from ${JSON.stringify(path)}`,
        resolveDir: dirname(path),
      }))
    },
  }
}

/** The exports as Node finds them: a CommonJS module does not declare them. Throws if it cannot be imported. */
function exportsOf(path) {
  const show = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(pathToFileURL(path).href)}))))`
  const { stdout, stderr, status, error } = spawnSync(
    ownNode(),
    ['--input-type=module', '--eval', show],
    {
      encoding: 'utf8',
      timeout: 60_000,
    },
  )
  if (error) throw error
  if (status !== 0) {
    // An ES module declares its exports; some can only be imported by bundlers.
    if (/^(import|export)\b/m.test(readFileSync(path, 'utf8'))) return '*'
    throw new Error(`${path} cannot be imported: ${stderr}`)
  }
  const names = JSON.parse(stdout).filter((name) => /^[\w$]+$/.test(name))
  return `{ ${names.join(', ')} }`
}

/** The files that a clone's bundle was made from, with sizes and times: `isFresh` compares them. */
function record(from, inputs) {
  const own = inputs.filter((path) => !path.includes('node_modules/'))
  const files = [...own, 'package-lock.json', 'scripts/bundle-server.mjs']
  return { from, files: files.map((path) => [path, stateOf(join(root, path))]) }
}

function isFresh(to) {
  const { from, files } = readRecord(join(root, to, 'made-from.json'))
  return from === 'src' && files.every(([path, state]) => stateOf(join(root, path)) === state)
}

/** Empty if the record is missing, or cut off by a power failure. */
function readRecord(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}

function stateOf(path) {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.size} ${found.mtimeMs}` : 'missing'
}

/** The licenses of the packages in the bundle. */
function licenses(inputs) {
  const folders = new Set(inputs.flatMap((path) => packageFolder(path) ?? []))
  const texts = [...folders].toSorted().map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    )
    const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'License', 'license.md']
      .map((one) => join(folder, one))
      .find((one) => existsSync(one))
    return `${name} ${version} (${license})\n\n${file ? readFileSync(file, 'utf8') : ''}`
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

function packageFolder(path) {
  const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]
  return found && resolve(root, found)
}
