/** The projects of `examples/`, run as their READMEs say. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '../temporary-folder.ts'
import { startServeProcess } from './serve-process.ts'

const root = resolve(import.meta.dirname, '../../..')
/** A cron may be a minute away, and the rest take another where the machine has more to do. */
const CLIENT_MS = 240_000

export interface RunningExample {
  url: string
  /** Runs a script of the example with the server's address, on Node or on Python; answers what it prints. */
  run(script: string): Promise<string>
  /** What the README shows of that, in its first block of `text`. */
  shown: string
  stop(): Promise<void>
}

/** Starts `runyard serve` on the example; `env` on top of this process's. */
export async function startExample(
  name: string,
  env: NodeJS.ProcessEnv = {},
): Promise<RunningExample> {
  const dataDir = temporaryFolder()
  const config = `examples/${name}/langgraph.json`
  const args = ['serve', '--config', config, '--port', '0', '--data-dir', dataDir]
  const server = await startServeProcess('bin/runyard', args, { cwd: root, env })
  const readme = readFileSync(join(root, 'examples', name, 'README.md'), 'utf8')
  return {
    url: server.url,
    async run(script) {
      const file = join('examples', name, script)
      const options = { cwd: root, env: { ...process.env, ...env }, timeout: CLIENT_MS }
      const { stdout } = await promisify(execFile)(programOf(script), [file, server.url], options)
      return stdout
    },
    shown: /^```text\n(.*?)^```$/ms.exec(readme)?.[1] ?? '',
    async stop() {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Python is the active one. */
function programOf(script: string): string {
  if (!script.endsWith('.py')) return process.execPath
  return join(process.env.VIRTUAL_ENV ?? '', 'bin/python')
}
