/** `runyard dev` as a process, on a project of its own that tests may change. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { endTogether } from './end-together.ts'

const root = resolve(import.meta.dirname, '../../..')

/** Content by path, relative to the project's folder. */
export type ProjectFiles = Readonly<Record<string, string>>

export interface DevProcess {
  folder: string
  process: ChildProcess
  /** Settles with the URL of the `ready` line; rejects when the process ends before. */
  ready: Promise<string>
  /** What it has printed so far, standard output and error together. */
  output(): string
  write(files: ProjectFiles): void
  /** SIGTERM; settles with the exit code, the folder removed. */
  stop(): Promise<number | null>
}

/** The project finds the repository's own LangGraph. */
export function startDevProcess(
  files: ProjectFiles,
  options: { args?: string[]; env?: NodeJS.ProcessEnv } = {},
): DevProcess {
  const folder = mkdtempSync(join(tmpdir(), 'runyard-dev-'))
  const write = (changed: ProjectFiles) => {
    for (const [path, content] of Object.entries(changed)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), content)
    }
  }
  write({ 'package.json': '{ "type": "module" }', ...files })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const args = [join(root, 'bin/runyard'), 'dev', '--port', '0', ...(options.args ?? [])]
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endTogether(child, 'SIGTERM')
  const exited = once(child, 'exit')
  let output = ''
  const ready = new Promise<string>((fulfil, reject) => {
    const take = (chunk: Buffer) => {
      output += chunk
      const url = /^ready (\S+)\n/m.exec(output)?.[1]
      if (url) fulfil(url)
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    // When it exits, what it has said last may still have to be read.
    child.once('close', () => reject(new Error(`it ended before it was ready:\n${output}`)))
  })
  ready.catch(() => {})
  return {
    folder,
    process: child,
    ready,
    output: () => output,
    write,
    async stop() {
      child.kill('SIGTERM')
      const [code] = await exited
      rmSync(folder, { recursive: true, force: true })
      return code
    },
  }
}
