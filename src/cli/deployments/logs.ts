/** `runyard logs` */
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import {
  type ControlPlaneClient,
  type Deployment,
  dataOf,
  type LogEntry,
  type Logs,
  type LogsRequest,
  type RevisionStatus,
} from '../../../client/src/client.ts'
import { AppError } from '../../core/errors.ts'
import { clientCommand, connected, requireDeployment } from '../connection.ts'
import { countUpTo } from '../option-readers.ts'
import { untilInterrupted } from '../terminal/interruption.ts'
import { say } from '../terminal/output.ts'
import { findRevision, REVISION_FORMS } from './revision-choice.ts'

const POLL_MS = 500
/** How many of the agent servers' last lines are printed first. */
const LINES = 200
/** The largest page of the control plane. */
const PAGE = 1000

const UNBUILT: readonly RevisionStatus[] = ['CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING']

interface HowToPrint {
  print: (entry: LogEntry) => void
  /** How many of the last lines come first. */
  lines: number | undefined
  isFollowed: boolean
}

export function logsCommand(): Command {
  return clientCommand(
    'logs',
    'print what a deployment’s agent servers, or its build, have printed',
    [
      ['runyard logs support -f', 'what its agent servers print, as it comes'],
      ['runyard logs support --build', 'why its last build failed'],
    ],
  )
    .argument('<name>', 'the deployment')
    .option('--build', 'the build of its latest revision')
    .option('--revision <revision>', `with --build: of this one; ${REVISION_FORMS}`)
    .option(
      '-n, --lines <n>',
      'how many of the last lines; 200, or the whole build',
      countUpTo(PAGE),
    )
    .option('-f, --follow', 'go on as more is printed; a build is followed to its end')
    .action(async (name: string, options) =>
      connected(options, async ({ client, isJson }) => {
        const deployment = await requireDeployment(client, name)
        const print = isJson ? printEntry : printLine
        const isFollowed = options.follow === true
        const how = { print, lines: options.lines, isFollowed }
        if (!options.build) return deployLog(client, deployment, how)
        const { latest_revision_id } = deployment
        const revision_id = options.revision
          ? (await findRevision(client, deployment, options.revision)).id
          : latest_revision_id
        if (revision_id === null) throw new AppError('not_found', `${name} has no revision yet.`)
        await buildLog(client, { deployment_id: deployment.id, revision_id }, how)
      }),
    )
}

/**
 * Prints a build's log: all of it, or its last `lines`. It ends with the build; until then each page has the
 * offset of the next.
 */
async function buildLog(
  client: ControlPlaneClient,
  { deployment_id, revision_id }: { deployment_id: string; revision_id: string },
  { print, lines, isFollowed }: HowToPrint,
): Promise<void> {
  const signal = untilInterrupted()
  const last = lines ? await lastOfBuild(client, deployment_id, revision_id, lines) : []
  last.forEach(print)
  let offset = last.at(-1)?.id
  for (;;) {
    const page = await client.readBuildLog(deployment_id, revision_id, offset)
    page.logs.forEach(print)
    offset = page.logs.at(-1)?.id ?? offset
    if (page.logs.length > 0) continue
    const isOver = page.next_offset === null && (await hasEnded(client, deployment_id, revision_id))
    if (isOver && offset === undefined) return sayWhoseBuild(client, deployment_id, revision_id)
    if (isOver || !isFollowed || !(await pause(signal))) return
  }
}

/** A revision that repeats another one has no log of its own while it uses that one's build. */
async function sayWhoseBuild(
  client: ControlPlaneClient,
  deployment_id: string,
  revision_id: string,
): Promise<void> {
  const history = await client.listRevisionHistory(deployment_id)
  const own = history.find((one) => one.revision_id === revision_id)
  for (let one = own; one && one.repeats !== null; ) {
    const { repeats } = one
    one = history.find(({ number }) => number === repeats)
    if (!one || (await lastOfBuild(client, deployment_id, one.revision_id, 1)).length === 0)
      continue
    say(`#${own?.number} uses the build of #${one.number}: "--revision ${one.number}" prints it.`)
    return
  }
}

/** In the order in which they were printed. */
async function lastOfBuild(
  client: ControlPlaneClient,
  project_id: string,
  revision_id: string,
  limit: number,
): Promise<LogEntry[]> {
  const params = { path: { project_id, revision_id } }
  const body = { order: 'desc', limit } as const
  const { logs } = await dataOf(
    client.api.POST('/v1/projects/{project_id}/revisions/{revision_id}/build_logs', {
      params,
      body,
    }),
  )
  return logs.toReversed()
}

/** Whether the build has ended. A log without lines does not show it. */
async function hasEnded(client: ControlPlaneClient, deployment_id: string, revision_id: string) {
  const { status } = await client.getRevision(deployment_id, revision_id)
  return !UNBUILT.includes(status)
}

async function deployLog(
  client: ControlPlaneClient,
  { id }: Deployment,
  { print, lines = LINES, isFollowed }: HowToPrint,
): Promise<void> {
  const signal = untilInterrupted()
  const { logs } = await readDeployLog(client, id, { order: 'desc', limit: lines })
  logs.toReversed().forEach(print)
  let offset = logs[0]?.id
  while (isFollowed && (await pause(signal))) {
    const page = await readDeployLog(client, id, {
      order: 'asc',
      limit: PAGE,
      offset: offset ?? null,
    })
    page.logs.forEach(print)
    offset = page.logs.at(-1)?.id ?? offset
  }
}

function readDeployLog(
  client: ControlPlaneClient,
  project_id: string,
  body: LogsRequest,
): Promise<Logs> {
  const params = { path: { project_id } }
  return dataOf(client.api.POST('/v1/projects/{project_id}/deploy_logs', { params, body }))
}

/** `false`: the command was interrupted. It has printed everything so far. */
async function pause(signal: AbortSignal): Promise<boolean> {
  return delay(POLL_MS, true, { signal }).catch(() => false)
}

/** Lines of the project get a bar in front, so that they cannot look like lines of the server. */
function printLine({ timestamp, level, message, source }: LogEntry): void {
  const bar = source === 'project' ? '| ' : ''
  console.log(`${timestamp} ${level.padEnd(7)} ${bar}${message}`)
}

/** Prints one JSON object a line, since a log may have no end. */
function printEntry(entry: LogEntry): void {
  console.log(JSON.stringify(entry))
}
