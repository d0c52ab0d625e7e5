// Installs what is missing before `npm start`, `npm test` and the other commands. Runs on the
// machine's Node, before anything is installed: plain JavaScript, Node's own modules only.
//
//   prepare.mjs           installs everything
//   prepare.mjs --start   installs what every server needs (scripts/start/package.json), so that the first start is
//                         soon ready; everything if the environment needs more. Begins --dashboard as well, which the
//                         server need not wait for
//   prepare.mjs --rest    installs everything else after that, beside the running server, none of whose
//                         files it changes; does nothing after another kind of install
//   prepare.mjs --dashboard   installs what the dashboard is built with
//
// The dashboard has packages and a lock file of its own: npm works on one core, so both are installed at the same time.
//
// A hash of the lock file shows whether an install is stale. Two of these at once take turns. A signal, or
// the end of its parent (`--while=PID`: of that process), ends the whole install: each npm and its children are one
// process group.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stampFile = stampIn(root)
const dashboard = join(root, 'dashboard')
const isForStart = process.argv.includes('--start')
const isForDashboard = process.argv.includes('--dashboard')
const parent = process.ppid
const [, watched] = /--while=(\d+)/.exec(process.argv.join(' ')) ?? []
const running = new Set()
const locks = new Set()

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => end(signal))
setInterval(() => {
  if (watched ? !isAlive(Number(watched)) : process.ppid !== parent) end('SIGTERM')
}, 500).unref()

const all = stamp(root)
/** The stamps of partial installs. */
const forStart = `${all} for npm start`
const beingAdded = `${all} being added to`

if (isForStart && isDashboardStale()) beginDashboard()
await Promise.all([
  // If packages are just being added, wait for them.
  inTurn(root, isIncomplete, () => nextStep()?.()),
  !isForStart && inTurn(dashboard, isDashboardStale, installDashboard),
])

// These commands start servers from the bundle.
const isThere = [all, forStart].includes(installed()) && !isForDashboard
if (isThere && ['prestart', 'prebench'].includes(process.env.npm_lifecycle_event)) {
  const { refreshBundle } = await import('./bundle-server.mjs')
  await refreshBundle()
}

function isIncomplete() {
  return nextStep() !== undefined || installed() === beingAdded
}

/** The next step, by the present install; `undefined`: none. */
function nextStep() {
  const found = installed()
  if (found === all) return undefined
  if (isForDashboard) return undefined
  if (process.argv.includes('--rest')) return found === forStart ? addRest : undefined
  if (isForStart && !isMoreWanted()) {
    return found === forStart ? undefined : installForStart
  }
  return found === forStart ? addRest : installAll
}

/** Whether settings in the environment need further packages: clients of other systems. */
function isMoreWanted() {
  const { RUNYARD_RUNTIME = '', RUNYARD_ARTIFACTS_URL = '', ...others } = process.env
  const hasRuntime = !['', 'process'].includes(RUNYARD_RUNTIME)
  const hasTraces = Object.keys(others).some((name) => name.startsWith('OTEL_'))
  return hasRuntime || RUNYARD_ARTIFACTS_URL.startsWith('s3:') || hasTraces
}

function stampIn(folder) {
  return join(folder, 'node_modules', '.runyard-installed')
}

function stamp(folder) {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`)
  return hash.update(readFileSync(join(folder, 'package-lock.json'))).digest('hex')
}

function installed(folder = root) {
  const file = stampIn(folder)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

function isDashboardStale() {
  if (isForStart && process.env.RUNYARD_DASHBOARD === '0') return false
  return (
    existsSync(join(dashboard, 'package-lock.json')) && installed(dashboard) !== stamp(dashboard)
  )
}

/** In a process of its own, for as long as npm runs: the server starts when its own packages are installed. */
function beginDashboard() {
  const args = [fileURLToPath(import.meta.url), '--dashboard', `--while=${parent}`]
  spawn(process.execPath, args, { stdio: ['ignore', 2, 2], detached: true }).unref()
}

async function installDashboard() {
  await runNpm(['ci', '--include=dev'], { cwd: dashboard, result: stamp(dashboard) })
}

async function installAll() {
  await runNpm(['ci', '--include=dev'], { result: all })
}

/** Without the tools for developing Runyard, and clients that only some settings need. */
async function installForStart() {
  const workspaces = ['--workspace=client', '--workspace=scripts/start']
  // With peers, npm would also install the optional ones that other packages of the lock file happen to bring.
  await runNpm(['ci', '--omit=dev', '--legacy-peer-deps', ...workspaces], { result: forStart })
}

/**
 * Adds to the present install. After a kill, the next install begins from nothing. After a failure, as without a
 * network, npm undoes its changes: the server starts all the same, and this is tried again beside it.
 */
async function addRest() {
  writeFileSync(stampFile, beingAdded)
  const end = await runNpm(['install', '--no-save', '--include=dev'], { result: all })
  if (end === 'failed') writeFileSync(stampFile, forStart)
}

/** Returns how it ended: `installed`, `failed` or `killed`. */
async function runNpm(args, { cwd = root, result }) {
  const what = cwd === root ? 'dependencies' : "the dashboard's packages"
  console.error(`runyard: installing ${what} (npm ${args[0]}) …`)
  const options = ['--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  const stdio = ['ignore', cwd === root ? 2 : 'ignore', 2]
  const npm = spawn('npm', [...args, ...options], { cwd, stdio, detached: true })
  running.add(npm)
  const { code, signal } = await new Promise((resolve) => {
    npm.on('error', () => resolve({ code: 127 }))
    npm.on('exit', (code, signal) => resolve({ code, signal }))
  })
  running.delete(npm)
  if (code !== 0) {
    const how = signal ? `was ended by ${signal}` : `failed with exit code ${code}`
    console.error(`runyard: npm ${args[0]} ${how}; its output is above.`)
    process.exitCode = 1
    return signal ? 'killed' : 'failed'
  }
  writeFileSync(stampIn(cwd), result)
  return 'installed'
}

async function inTurn(folder, isNeeded, work) {
  if (!isNeeded()) return
  const lock = join(folder, '.install.lock')
  await takeLock(lock)
  try {
    if (isNeeded()) await work()
  } finally {
    free(lock)
  }
}

async function takeLock(lock) {
  for (let waits = 0; ; waits += 1) {
    try {
      mkdirSync(lock)
      locks.add(lock)
      writeFileSync(join(lock, 'pid'), String(process.pid))
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (isAbandoned(lock)) rmSync(lock, { recursive: true, force: true })
    else await delay(200)
    if (waits === 25) {
      console.error(`runyard: waiting for another install; if there is none, remove ${lock}`)
    }
  }
}

function free(lock) {
  rmSync(lock, { recursive: true, force: true })
  locks.delete(lock)
}

function isAbandoned(lock) {
  try {
    return !isAlive(Number(readFileSync(join(lock, 'pid'), 'utf8')))
  } catch {
    // Its owner has not written its id yet, or has just removed it.
    return false
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

function end(signal) {
  for (const npm of running) {
    try {
      process.kill(-npm.pid, 'SIGKILL')
    } catch {}
  }
  for (const lock of locks) free(lock)
  process.exit(signal === 'SIGINT' ? 130 : 143)
}
