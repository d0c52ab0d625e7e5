/** One child process that is an agent server, from its start to its end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { constants } from 'node:os'
import { dirname } from 'node:path'
import type { LocalProject } from '../../core/deployment/artifacts/artifact.ts'
import { logMark, notedLine } from '../../core/deployment/log-source.ts'
import type { Load, RuntimeSpec } from '../../core/deployment/runtime.ts'
import type { Sandbox } from '../../core/deployment/sandbox.ts'
import type { AgentReading } from '../../core/figures/reading.ts'
import { converse, endpointOf } from '../../link/conversation.ts'
import { ipcToAgent } from '../../link/ipc.ts'
import type { AgentLink, Home, StartMessage } from '../../link/messages.ts'
import { endGroup, killGroup } from '../../process/group.ts'
import { familyResidentBytes } from '../../process/memory.ts'
import { readLines } from '../../process/output-lines.ts'
import type { RunningAgent } from '../replicas/running-agent.ts'
import type { AgentCommand } from '../runtime-parts.ts'
import { ALLOCATOR_ENVIRONMENT, waitUntilTooLarge } from './memory.ts'

interface AgentProcessOptions {
  spec: Omit<RuntimeSpec, 'artifact'>
  /** The process reads this and its data, and writes its data. */
  project: LocalProject
  /** Whether it leaves runs alone until `activate`. */
  isStandby: boolean
  command: AgentCommand
  dataDir: string
  /** See `StartMessage` and `home`. */
  databaseUrl: Promise<string | undefined> | undefined
  /** See `StartMessage`. */
  dataKey: string | undefined
  /** `undefined`: there is no limit. */
  memoryLimitMb: number | undefined
  /** See `StartMessage`, which is sent once this is known. */
  home: Promise<Home> | undefined
  /** Its whole environment, but for the secrets, which follow by IPC. */
  env: Readonly<Record<string, string>>
  sandbox: Sandbox
  /** Receives each line that it prints, as `notedLine` has it. */
  onLine(line: string): void
  /** Receives the project's files as the process imports them. */
  onSources(files: string[]): void
  /** Receives the load that the process reports. */
  onLoad(load: Load): void
  /** Receives its last counts when it ends. */
  onLast(reading: AgentReading): void
}

/** Starts the process and hands it its secrets. Does not throw: failures show in `exited`. */
export function startAgentProcess(options: AgentProcessOptions): RunningAgent {
  const { spec, project, isStandby } = options
  const token = randomBytes(32).toString('base64url')
  const { child, hasMonitor } = spawnConfined(options)
  // Later errors (a signal that cannot be sent) show in their consequences.
  child.on('error', () => {})
  const exited = describeEnd(child, hasMonitor)
  const mark = logMark(token)
  for (const stream of [child.stdout, child.stderr])
    readLines(stream, (line) => options.onLine(notedLine(line, mark)))
  const link = ipcToAgent(child)
  const { onSources, onLoad, onLast } = options
  const talk = converse(link, { exited, onSources, onLoad, onLast })
  const { bundlePath, python } = project
  const terms = {
    gatewayToken: token,
    isStandby,
    sourceRoot: project.root,
    ...(bundlePath !== null && { bundlePath }),
    ...(python !== null && { pythonPath: python.path }),
    ...(options.dataKey !== undefined && { dataKey: options.dataKey }),
  }
  void sendStart(link, spec, { terms, home: options.home, databaseUrl: options.databaseUrl })
  let pid = child.pid
  const ready = talk.ready.then((said) => {
    // With a monitor in between, the agent server is its child.
    if (hasMonitor) pid = said.pid
    return endpointOf(said, token)
  })
  return {
    ...talk,
    get doing() {
      return talk.doing
    },
    get failure() {
      return talk.failure
    },
    ready,
    exited,
    measure: async () => withChildren(await talk.measure(), pid),
    outgrown: (signal) => waitUntilTooLarge(pid, options.memoryLimitMb, signal),
    terminate: () => (hasMonitor ? link.send({ type: 'stop' }) : void child.kill('SIGTERM')),
    kill: () => void killGroup(child),
  }
}

function spawnConfined(options: AgentProcessOptions) {
  const { command, project, sandbox, dataDir } = options
  const cwd = dirname(project.configPath)
  const confined = sandbox.confine([command.file, ...command.args, ...serveArguments(options)], {
    cwd,
    readable: [project.root, project.node?.root, project.python?.root].filter((one) => one != null),
    writable: [dataDir],
  })
  const { uid, gid, hasMonitor } = confined
  const [file, ...args] = confined.command
  const child = spawn(file, args, {
    cwd,
    env: { ...ALLOCATOR_ENVIRONMENT, ...options.env, ...confined.env },
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
    // A group of its own: it can be ended with all that it started.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  return { child, hasMonitor }
}

function serveArguments(options: AgentProcessOptions): string[] {
  const { project, dataDir } = options
  const where = ['--host', '127.0.0.1', '--port', '0', '--data-dir', dataDir]
  return ['serve', '--managed', '--config', project.configPath, ...where]
}

async function sendStart(
  link: AgentLink,
  spec: AgentProcessOptions['spec'],
  {
    terms,
    home,
    databaseUrl,
  }: {
    terms: Pick<
      StartMessage,
      'sourceRoot' | 'bundlePath' | 'pythonPath' | 'gatewayToken' | 'isStandby' | 'dataKey'
    >
  } & Pick<AgentProcessOptions, 'home' | 'databaseUrl'>,
): Promise<void> {
  const where = await databaseUrl
  const message: StartMessage = {
    type: 'start',
    deployment_id: spec.deployment_id,
    deployment_name: spec.deployment_name,
    revision_id: spec.revision_id,
    secrets: Object.fromEntries(spec.secrets.map(({ name, value }) => [name, value])),
    ...terms,
    ...(where && { databaseUrl: where }),
    ...(home && { home: await home }),
  }
  // If the process exits before it reads this, its exit event reports it.
  link.send(message)
}

/** Its Python hosts are processes of their own. */
async function withChildren(
  reading: AgentReading | undefined,
  pid: number | undefined,
): Promise<AgentReading | undefined> {
  if (!reading || pid === undefined) return reading
  const ofFamily = await familyResidentBytes(pid)
  return { ...reading, memory_bytes: Math.max(reading.memory_bytes, ofFamily) }
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

/** A monitor ends with 128 and the number of the signal that ended its child. */
function signalOf(code: number | null): string | undefined {
  const [name] = Object.entries(constants.signals).find(([, one]) => one + 128 === code) ?? []
  return name
}
