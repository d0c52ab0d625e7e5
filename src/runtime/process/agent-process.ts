/** One child process that is an agent server, from its start to its end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { constants } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endGroup, killGroup } from '../../child-process/group.ts'
import { readLines } from '../../child-process/output-lines.ts'
import type { ParkedThreads } from '../../core/agent/parked-threads.ts'
import type { LocalProject } from '../../core/deployment/artifact.ts'
import type { DrainLimits, Endpoint, Load, RuntimeSpec } from '../../core/deployment/runtime.ts'
import {
  type ActivateMessage,
  type DrainMessage,
  type Home,
  type InspectMessage,
  isActiveMessage,
  isDrainedMessage,
  isFailedMessage,
  isInspectionMessage,
  isLoadMessage,
  isReadyMessage,
  isSourcesMessage,
  type StartMessage,
  type StopMessage,
} from '../../core/deployment/runtime-protocol.ts'
import type { Sandbox } from '../../core/deployment/sandbox.ts'
import type { AgentCommand } from '../parts.ts'

interface AgentProcessOptions {
  spec: Omit<RuntimeSpec, 'artifact'>
  /** It reads that and its data, which it writes. */
  project: LocalProject
  /** Whether it leaves runs alone until `activate`. */
  isStandby: boolean
  command: AgentCommand
  dataDir: string
  /** See `StartMessage`. */
  databaseUrl: string | undefined
  /** See `StartMessage`; it is told nothing before this is known. */
  home: Promise<Home> | undefined
  /** Its whole environment, but for the secrets, which follow by IPC. */
  env: Readonly<Record<string, string>>
  sandbox: Sandbox
  onLine(line: string): void
  /** Hears of the project's files as the process imports them. */
  onSources(files: string[]): void
  /** Hears of what the process reports of itself. */
  onLoad(load: Load): void
}

export interface AgentProcess {
  /** `undefined` when it could not be started. */
  readonly pid: number | undefined
  /** Settles when the process says that it listens; never when it does not get to it. */
  readonly ready: Promise<Endpoint>
  /** What it has said of why it does not start; `undefined`: nothing. */
  readonly failure: string | undefined
  /** How it ended, as half a sentence; its group has been killed then and its output is read. */
  readonly exited: Promise<string>
  /** See `RuntimeDriver.inspect`. */
  inspect(): Promise<ParkedThreads | undefined>
  /** See `RuntimeDriver.activate`. */
  activate(): Promise<void>
  /** See `RuntimeDriver.drain`. */
  drain(limits: DrainLimits): Promise<number | undefined>
  /** Asks it to end. */
  terminate(): void
  /** Ends it at once, with all that it started. */
  kill(): void
}

/** A rollout does not wait longer to learn of parked threads. */
const INSPECTION_MS = 10_000

/** Starts the process and hands it its secrets. Does not throw: what fails shows in `exited`. */
export function startAgentProcess(options: AgentProcessOptions): AgentProcess {
  const { spec, project, isStandby } = options
  const token = randomBytes(32).toString('base64url')
  const { child, hasMonitor } = spawnConfined(options)
  // What goes wrong later (a signal that cannot be sent) is seen by what it leads to.
  child.on('error', () => {})
  const exited = describeEnd(child, hasMonitor)
  readLines(child.stdout, options.onLine)
  readLines(child.stderr, options.onLine)
  let failure: string | undefined
  child.on('message', (message) => {
    if (isFailedMessage(message)) failure = message.reason
    if (isSourcesMessage(message)) options.onSources(message.files)
    if (isLoadMessage(message)) options.onLoad(message.load)
  })
  const { databaseUrl } = options
  const { bundlePath } = project
  const terms = {
    gatewayToken: token,
    isStandby,
    ...(bundlePath !== null && { bundlePath }),
    ...(databaseUrl && { databaseUrl }),
  }
  void sendStart(child, spec, { terms, home: options.home })
  let pid = child.pid
  child.on('message', (message) => {
    // Where a monitor stands between, the agent server is the one below.
    if (hasMonitor && isReadyMessage(message)) pid = message.pid
  })
  return {
    get pid() {
      return pid
    },
    ready: readyOf(child, token),
    get failure() {
      return failure
    },
    exited,
    inspect: () => inspect(child, exited),
    activate: () => activate(child, exited),
    drain: (limits) => drain(child, limits, exited),
    terminate: () => terminate(child, hasMonitor),
    kill: () => void killGroup(child),
  }
}

function spawnConfined(options: AgentProcessOptions) {
  const { command, project, sandbox, dataDir } = options
  const cwd = dirname(project.configPath)
  const confined = sandbox.confine([command.file, ...command.args, ...serveArguments(options)], {
    cwd,
    readable: project.node === null ? [project.root] : [project.root, project.node.root],
    writable: [dataDir],
  })
  const { uid, gid, hasMonitor } = confined
  const [file, ...args] = confined.command
  const child = spawn(file, args, {
    cwd,
    env: { ...options.env, ...confined.env },
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
    // A group of its own: it can be ended with all that it started.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  return { child, hasMonitor }
}

function terminate(child: ChildProcess, hasMonitor: boolean): void {
  if (hasMonitor && child.connected) child.send({ type: 'stop' } satisfies StopMessage, () => {})
  else child.kill('SIGTERM')
}

function serveArguments(options: AgentProcessOptions): string[] {
  const { project, dataDir } = options
  const where = ['--host', '127.0.0.1', '--port', '0', '--data-dir', dataDir]
  return ['serve', '--managed', '--config', project.configPath, ...where]
}

async function sendStart(
  child: ChildProcess,
  spec: AgentProcessOptions['spec'],
  {
    terms,
    home,
  }: {
    terms: Pick<StartMessage, 'bundlePath' | 'gatewayToken' | 'databaseUrl' | 'isStandby'>
    home: Promise<Home> | undefined
  },
): Promise<void> {
  const message: StartMessage = {
    type: 'start',
    deployment_id: spec.deployment_id,
    deployment_name: spec.deployment_name,
    revision_id: spec.revision_id,
    secrets: Object.fromEntries(spec.secrets.map(({ name, value }) => [name, value])),
    ...terms,
    ...(home && { home: await home }),
  }
  // A process that is gone before it reads this is told of by its end.
  if (child.connected) child.send(message, () => {})
}

function readyOf(child: ChildProcess, token: string): Promise<Endpoint> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      if (!isReadyMessage(message)) return
      const { url, has_own_auth: hasOwnAuth = false, cors } = message
      resolve({ url, token, ...(hasOwnAuth && { hasOwnAuth }), ...(cors && { cors }) })
    })
  })
}

async function inspect(
  child: ChildProcess,
  exited: Promise<unknown>,
): Promise<ParkedThreads | undefined> {
  const inspected = new Promise<ParkedThreads | undefined>((resolve) => {
    child.on('message', (message) => {
      if (isInspectionMessage(message)) resolve(message.parked_threads ?? undefined)
    })
  })
  child.send?.({ type: 'inspect' } satisfies InspectMessage, () => {})
  const late = delay(INSPECTION_MS, undefined, { ref: false })
  return Promise.race([inspected, late, exited.then(() => undefined)])
}

async function activate(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  const active = new Promise<void>((resolve) => {
    child.on('message', (message) => isActiveMessage(message) && resolve())
  })
  child.send?.({ type: 'activate' } satisfies ActivateMessage, () => {})
  await Promise.race([active, exited])
}

async function drain(
  child: ChildProcess,
  limits: DrainLimits,
  exited: Promise<unknown>,
): Promise<number | undefined> {
  const drained = new Promise<number | undefined>((resolve) => {
    child.on('message', (message) => {
      if (isDrainedMessage(message)) resolve(message.next_due_at ?? undefined)
    })
  })
  const message: DrainMessage = { type: 'drain', ...limits }
  child.send?.(message, () => {})
  return Promise.race([drained, exited.then(() => undefined)])
}

async function describeEnd(child: ChildProcess, hasMonitor: boolean): Promise<string> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    await endGroup(child)
    const by = signal ?? (hasMonitor ? signalOf(code) : undefined)
    return by ? `it was ended by ${by}` : `it ended with exit code ${code}`
  } catch (error) {
    return `it could not be started (${error instanceof Error ? error.message : error})`
  }
}

/** A monitor ends with 128 and the number of the signal that ended what it watched. */
function signalOf(code: number | null): string | undefined {
  const [name] = Object.entries(constants.signals).find(([, one]) => one + 128 === code) ?? []
  return name
}
