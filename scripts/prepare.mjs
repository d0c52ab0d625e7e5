// Installs what is missing before `npm start`, `npm test` and the other commands. Runs on the
// machine's Node, before anything is installed: plain JavaScript, Node's own modules only.
//
// Stale is told by a hash of the lock file. Two of these at once take turns. A signal, or the death
// of whoever started it, ends the whole install: npm and its children are one process group.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stampFile = join(root, 'node_modules', '.runyard-installed')
const lockFolder = join(root, '.install.lock')
const parent = process.ppid
let npm

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => end(signal))
setInterval(() => process.ppid !== parent && end('SIGTERM'), 500).unref()

const wanted = stamp()
if (installed() !== wanted) {
  await takeLock()
  try {
    if (installed() !== wanted) await install()
  } finally {
    rmSync(lockFolder, { recursive: true, force: true })
  }
}

function stamp() {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`)
  return hash.update(readFileSync(join(root, 'package-lock.json'))).digest('hex')
}

function installed() {
  return existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : undefined
}

async function install() {
  console.error('runyard: installing dependencies (npm ci) …')
  npm = spawn(
    'npm',
    ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
      detached: true,
    },
  )
  const code = await new Promise((resolve) => {
    npm.on('error', () => resolve(127))
    npm.on('exit', (code, signal) => resolve(signal ? 1 : code))
  })
  npm = undefined
  if (code !== 0) {
    console.error(`runyard: npm ci failed with exit code ${code}; its output is above.`)
    process.exitCode = 1
    return
  }
  writeFileSync(stampFile, wanted)
}

async function takeLock() {
  for (;;) {
    try {
      mkdirSync(lockFolder)
      writeFileSync(join(lockFolder, 'pid'), String(process.pid))
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (isAbandoned()) rmSync(lockFolder, { recursive: true, force: true })
    else await delay(200)
  }
}

function isAbandoned() {
  try {
    process.kill(Number(readFileSync(join(lockFolder, 'pid'), 'utf8')), 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

function end(signal) {
  if (npm) {
    try {
      process.kill(-npm.pid, 'SIGKILL')
    } catch {}
    rmSync(lockFolder, { recursive: true, force: true })
  }
  process.exit(signal === 'SIGINT' ? 130 : 143)
}
