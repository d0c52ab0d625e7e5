/** An agent server as the process driver starts it: with its message, and out of a bundle if there is one. */
import { type ChildProcess, fork } from 'node:child_process'
import { resolve } from 'node:path'
import { GATEWAY_TOKEN_HEADER } from '../../../src/core/deployment/internal-requests.ts'
import type { StartMessage } from '../../../src/link/messages.ts'
import { ALLOCATOR_ENVIRONMENT, heapArguments } from '../../../src/runtime/process/memory.ts'
import { endTogether } from './end-together.ts'

const RUNYARD = resolve(import.meta.dirname, '../../../bin/runyard')

/** What a request to it must carry. */
export const GATEWAY = { [GATEWAY_TOKEN_HEADER]: 'token' }

export interface ManagedServe {
  process: ChildProcess
  url: string
  /** All that it has printed. */
  output(): string
}

/** Settles when it listens; rejects with what it has printed when it ends before that. */
export async function startManagedServe(options: {
  configPath: string
  dataDir: string
  bundlePath?: string
  /** The script that it is started with. Default: the CLI's door. */
  program?: string
  /** Beside this process's own variables. */
  env?: NodeJS.ProcessEnv
  /** What the driver says beside the usual. */
  message?: Partial<StartMessage>
}): Promise<ManagedServe> {
  const { configPath, dataDir, bundlePath, program = RUNYARD, env, message: more } = options
  const where = ['--config', configPath, '--port', '0', '--data-dir', dataDir]
  const child = fork(program, ['serve', '--managed', '--host', '127.0.0.1', ...where], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: heapArguments(undefined),
    env: { ...ALLOCATOR_ENVIRONMENT, ...process.env, ...env },
  })
  endTogether(child, 'SIGKILL')
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))
  const message: StartMessage = {
    type: 'start',
    deployment_id: 'd',
    deployment_name: 'd',
    revision_id: 'r',
    secrets: {},
    gatewayToken: 'token',
    ...(bundlePath !== undefined && { bundlePath }),
    ...more,
  }
  child.send(message)
  const url = await new Promise<string>((ready, fail) => {
    child.on('message', (said: { type: string; url: string }) => {
      if (said.type === 'ready') ready(said.url)
    })
    // When it exits, what it has said last may still have to be read.
    child.once('close', () => fail(new Error(output)))
  })
  return { process: child, url, output: () => output }
}
