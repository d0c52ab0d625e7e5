// Builds the browser app into a folder (default: dashboard/dist), with a compressed form of each text file
// beside it. It does nothing if the sources have not changed since the last build. Several builds at once
// take turns, and the folder is replaced at the end, so that a server finds either the old or the new app.
//
// `--background`: as a child of a running server, at low priority; it ends with that server, and sends it `built`.
// Afterwards it installs the packages that `npm start` has skipped.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { constants, setPriority } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'

const root = fileURLToPath(new URL('..', import.meta.url))
const home = join(root, 'dashboard')
const [target = join(home, 'dist')] = process.argv.slice(2).filter((one) => !one.startsWith('--'))
const folder = resolve(target)
const building = `${folder}.${process.pid}`
const lock = `${folder}.lock`

/** The sources of the app. */
const SOURCES = ['dashboard', 'client/src']
const NO_SOURCES = /(^|\/)(node_modules|dist[^/]*|\.vite)(\/|$)|\.test\.tsx?$/
const TEXT = /\.(js|css|html|svg|json|map|txt|webmanifest)$/
/** Smaller files gain little from compression. */
const MIN_BYTES = 1_000

/** The exit code if only the packages that `npm start` has skipped could not be installed. */
const REST_FAILED = 3

const isInBackground = process.argv.includes('--background')
if (isInBackground) {
  setPriority(constants.priority.PRIORITY_LOW)
  process.on('disconnect', () => {
    clean()
    process.exit(1)
  })
}

const wanted = stamp()
if (builtFrom() !== wanted) {
  await takeLock()
  try {
    if (builtFrom() !== wanted) await build()
  } finally {
    clean()
    rmSync(lock, { recursive: true, force: true })
  }
}
if (isInBackground) {
  process.send?.('built')
  if (!(await prepare('--rest'))) process.exit(REST_FAILED)
}
// The channel to the server would keep this process alive.
if (process.connected) process.exit()

function stamp(): string {
  const hash = createHash('sha256')
  for (const file of SOURCES.flatMap((one) => filesIn(join(root, one))).toSorted()) {
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0')
  }
  return hash.digest('hex')
}

function filesIn(path: string): string[] {
  if (NO_SOURCES.test(relative(root, path))) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path).flatMap((name) => filesIn(join(path, name)))
}

function builtFrom(): string | undefined {
  const file = `${folder}.stamp`
  const isThere = existsSync(join(folder, 'index.html')) && existsSync(file)
  return isThere ? readFileSync(file, 'utf8') : undefined
}

async function build(): Promise<void> {
  removeLeftovers()
  // Vite reads it: tests, and developers of agents, have another value in their environment.
  process.env.NODE_ENV = 'production'
  if (isInBackground && !(await prepare('--dashboard'))) {
    throw new Error("The dashboard's packages could not be installed.")
  }
  // The dashboard has packages of its own.
  const { build: bundle } = await import('../dashboard/node_modules/vite/dist/node/index.js')
  const configFile = join(home, 'vite.config.ts')
  const output = { outDir: building, emptyOutDir: true }
  await bundle({
    ...{ root: home, configFile, configLoader: 'native' },
    ...{ logLevel: 'warn', build: output },
  })
  await Promise.all(filesOf(building).map(compress))
  rmSync(`${folder}.stamp`, { force: true })
  rmSync(folder, { recursive: true, force: true })
  renameSync(building, folder)
  writeFileSync(`${folder}.stamp`, wanted)
}

/** Installs missing packages. Ends when this process does. Returns whether they are there. */
async function prepare(which: '--dashboard' | '--rest'): Promise<boolean> {
  const script = join(root, 'scripts/prepare.mjs')
  const child = spawn(process.execPath, [script, which], { stdio: ['ignore', 2, 2] })
  const [code] = await once(child, 'exit')
  return code === 0
}

/** Removes folders of killed builds: the holder of the lock builds alone. */
function removeLeftovers(): void {
  for (const name of readdirSync(dirname(folder))) {
    const isLeft = name.startsWith(`${basename(folder)}.`) && /\.\d+$/.test(name)
    if (isLeft) rmSync(join(dirname(folder), name), { recursive: true, force: true })
  }
}

function filesOf(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}

/** Except the page itself, which differs in each answer. */
async function compress(file: string): Promise<void> {
  const content = readFileSync(file)
  if (!TEXT.test(file) || file.endsWith('/index.html') || content.length < MIN_BYTES) return
  // The highest quality takes six times as long, for 1 % less.
  const params = { [zlib.BROTLI_PARAM_QUALITY]: 6 }
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(content, { params }))
  writeFileSync(`${file}.gz`, await promisify(gzip)(content))
}

function clean(): void {
  rmSync(building, { recursive: true, force: true })
}

async function takeLock(): Promise<void> {
  for (;;) {
    try {
      mkdirSync(lock)
      writeFileSync(join(lock, 'pid'), String(process.pid))
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    if (isAbandoned()) rmSync(lock, { recursive: true, force: true })
    else await delay(200)
  }
}

/** Whether the process with the lock has ended. Waits for one that has not written its id yet. */
function isAbandoned(): boolean {
  try {
    process.kill(Number(readFileSync(join(lock, 'pid'), 'utf8')), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
