/** One child process that is an agent server, from its start to its end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { dirname } from 'node:path'
import type { LocalProject } from '../../core/deployment/artifacts/artifact.ts'
import { logMark, notedLine, ownLine } from '../../core/deployment/log-source.ts'
import type { RuntimeSpec } from '../../core/deployment/runtime.ts'
import { noSandbox } from '../../core/deployment/sandbox.ts'
import type { AgentReading } from '../../core/figures/reading.ts'
import { converse, endpointOf, ipcToAgent } from '../../link/conversation.ts'
import { endGroup, killGroup, signalOf } from '../../process/group.ts'
import { familyResidentBytes } from '../../process/memory.ts'
import { readLines } from '../../process/output-lines.ts'
import type { RunningAgent } from '../replicas/running-agent.ts'
import type { LaunchOptions } from '../replicas/supervisor.ts'
import type { AgentCommand, RuntimeParts } from '../runtime-parts.ts'
import { projectHere, serveArguments, startMessage } from '../start-message.ts'
import { ALLOCATOR_ENVIRONMENT, waitUntilTooLarge } from './memory.ts'

export interface ProcessDriverOptions extends RuntimeParts {
  /** Receives each line of their output. */
  onLine?(line: string): void
  /** Receives the files of a revision's project as they are imported. */
  onSources?(files: string[]): void
}

interface ProcessTerms extends LaunchOptions {
  /** The process reads this and its data, and writes its data. */
  project: LocalProject
  command: AgentCommand
  /** In MB; `undefined`: there is no limit. */
  limitMb: number | undefined
}

/**
 * Starts the process and hands it its secrets, which are not in its environment. Does not throw: failures show in
 * `exited`.
 */
export function startAgentProcess(
  spec: RuntimeSpec,
  parts: ProcessDriverOptions,
  terms: ProcessTerms,
): RunningAgent {
  const { project, isStandby, limitMb, onLoad, onLast } = terms
  const gatewayToken = randomBytes(32).toString('base64url')
  const { child, hasMonitor } = spawnConfined(parts, terms, parts.dataDir(spec.deployment_id))
  // Later errors (a signal that cannot be sent) show in their consequences.
  child.on('error', () => {})
  const exited = describeEnd(child, hasMonitor)
  const mark = logMark(gatewayToken)
  const onLine = (printed: string) => {
    const line = notedLine(printed, mark)
    terms.onLine(line)
    parts.onLine?.(line)
  }
  for (const stream of [child.stdout, child.stderr]) readLines(stream, onLine)
  const link = ipcToAgent(child)
  const onSources = (files: string[]) => parts.onSources?.(files)
  const talk = converse(link, { exited, onSources, onLoad, onLast })
  const own = { gatewayToken, isStandby, project: projectHere(project) }
  // If the process exits before it reads this, its exit event reports it.
  void startMessage(spec, parts, own).then(
    (message) => link.send(message),
    (error: unknown) => {
      const why = error instanceof Error ? error.message : error
      terms.onLine(ownLine(`The agent server was not given its start message: ${why}`))
      void killGroup(child)
    },
  )
  let pid = child.pid
  const ready = talk.ready.then((said) => {
    // With a monitor in between, the agent server is its child.
    if (hasMonitor) pid = said.pid
    return endpointOf(said, gatewayToken)
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
    outgrown: (signal) => waitUntilTooLarge(pid, limitMb, signal),
    terminate: () => (hasMonitor ? link.send({ type: 'stop' }) : void child.kill('SIGTERM')),
    kill: () => void killGroup(child),
  }
}

function spawnConfined(
  { sandbox = noSandbox, env }: RuntimeParts,
  { command, project }: ProcessTerms,
  dataDir: string,
) {
  const { configPath } = project
  const cwd = dirname(configPath)
  const served = serveArguments(configPath, { host: '127.0.0.1', port: 0, dataDir })
  const confined = sandbox.confine([command.file, ...command.args, ...served], {
    cwd,
    readable: [project.root, project.node?.root, project.python?.root].filter((one) => one != null),
    writable: [dataDir],
  })
  const { uid, gid, hasMonitor } = confined
  const [file, ...args] = confined.command
  const child = spawn(file, args, {
    cwd,
    env: { ...ALLOCATOR_ENVIRONMENT, ...env, ...confined.env },
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
    // A group of its own: it can be ended with all that it started.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  return { child, hasMonitor }
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
    // A monitor ends as its child has ended.
    const by = signal ?? (hasMonitor ? signalOf(code) : undefined)
    return by ? `it was ended by ${by}` : `it ended with exit code ${code}`
  } catch (error) {
    return `it could not be started (${error instanceof Error ? error.message : error})`
  }
}
