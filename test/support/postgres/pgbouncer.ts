/** Debian's PgBouncer in transaction mode before the tests' PostgreSQL, where it is installed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endTogether } from '../processes/end-together.ts'
import { freshPostgres } from './postgres.ts'

const COMMAND = '/usr/sbin/pgbouncer'
const PORT = 6432
const NOBODY = 65534

export const hasPgBouncer = existsSync(COMMAND)

export interface PgBouncer {
  /** Of a fresh schema, through PgBouncer; `direct` names PostgreSQL itself. */
  url: string
  stop(): Promise<void>
}

/** `folder` is there and empty. */
export async function startPgBouncer(folder: string): Promise<PgBouncer> {
  const url = new URL(await freshPostgres())
  const postgres = url.searchParams.get('host') ?? url.hostname
  const port = url.port || '5432'
  const settings = join(folder, 'pgbouncer.ini')
  writeFileSync(settings, configuration(folder, `host=${postgres} port=${port} user=postgres`))
  chmodSync(folder, 0o755)
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const path of [folder, settings]) chownSync(path, NOBODY, NOBODY)
  const child = spawn(COMMAND, ['-q', ...(isRoot ? ['-u', 'nobody'] : []), settings], {
    stdio: 'ignore',
  })
  endTogether(child, 'SIGKILL')
  await listening(child, join(folder, `.s.PGSQL.${PORT}`))
  url.port = `${PORT}`
  url.searchParams.set('host', folder)
  url.searchParams.set('pgbouncer', 'true')
  url.searchParams.set('direct', `${postgres}:${port}`)
  return {
    url: url.href,
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Fewer connections to PostgreSQL than two servers open to PgBouncer. */
function configuration(folder: string, postgres: string): string {
  return `[databases]
postgres = ${postgres} dbname=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = ${folder}
listen_port = ${PORT}
auth_type = any
pool_mode = transaction
default_pool_size = 4
`
}

async function listening(child: ChildProcess, socket: string): Promise<void> {
  while (!existsSync(socket)) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}.`)
    await sleep(20)
  }
}
