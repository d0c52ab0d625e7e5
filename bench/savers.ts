/**
 * The official checkpointers on SQLite and PostgreSQL, for comparison. They are a package of their own,
 * installed when a row needs them, and use LangGraph from the root's packages.
 *
 * SqliteSaver requires better-sqlite3 12, which has to be compiled and ends a process of Node 24.19
 * and later when it collects a statement. The lock file has 13: the same calls, already compiled.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BaseCheckpointSaver } from '@langchain/langgraph'

const PEER = join(import.meta.dirname, 'peer/savers')
const MODULES = join(PEER, 'node_modules')

/** Throws npm's error. */
export function installSavers(): void {
  // npm writes this file last.
  if (existsSync(join(MODULES, '.package-lock.json'))) return
  const args = ['ci', '--ignore-scripts', '--loglevel=error']
  execFileSync('npm', args, { cwd: PEER, stdio: ['ignore', 2, 'inherit'] })
}

/** The saver as its package opens it, on a file that need not exist. */
export async function openSqliteSaver(path: string): Promise<BaseCheckpointSaver> {
  const { SqliteSaver } = await load('sqlite')
  return SqliteSaver.fromConnString(path)
}

/** The saver as its package opens it, with its tables made in the schema `public`. */
export async function openPostgresSaver(url: string): Promise<BaseCheckpointSaver> {
  const { PostgresSaver } = await load('postgres')
  const saver = PostgresSaver.fromConnString(url)
  await saver.setup()
  return saver
}

/** By its path: without an install, its types are missing too. */
async function load(name: 'sqlite' | 'postgres') {
  return import(join(MODULES, `@langchain/langgraph-checkpoint-${name}/dist/index.js`))
}
