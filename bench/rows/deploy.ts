/** The time of a deployment around the install. */
import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ControlPlaneClient, type Deployment, isOver } from '../../client/src/client.ts'
import { packFolder } from '../../src/cli/deploy/pack.ts'
import { duration } from '../clock.ts'
import type { OpenRow, Row } from '../row.ts'
import { startServer, type TemporaryFolder, temporaryFolder } from '../server.ts'

const example = resolve(import.meta.dirname, '../../examples/agent')
const POLL_MS = 20

/** From the first call to DEPLOYED, against the same steps by hand; npm's cache is warm. */
export const deployRow: Row = {
  name: 'deploy',
  title: 'create → DEPLOYED of the example, its packages installed',
  unit: 'ms',
  pairs: 3,
  open: () => openDeploys((client, count) => deploy(client, `bench-${count}`)),
}

/** The same for a further revision with an unchanged lock file: nothing is installed. */
export const redeployRow: Row = {
  name: 'redeploy',
  title: 'upload → DEPLOYED of a further revision, its packages kept',
  unit: 'ms',
  pairs: 3,
  async open() {
    let created: Deployment | undefined
    return openDeploys(async (client) => {
      if (created) return rollOut(client, created.id)
      created = await create(client, 'bench')
      await rollOut(client, created.id)
    })
  },
}

/** Does `work` once before the measurement. */
async function openDeploys(
  work: (client: ControlPlaneClient, count: number) => Promise<void>,
): Promise<OpenRow> {
  const data = await temporaryFolder()
  const env = { RUNYARD_DATA_DIR: data.path, RUNYARD_EXAMPLE: '0' }
  const server = await startServer(['up'], { cwd: data.path, env })
  const apiKey = /^admin key (\S+)$/m.exec(server.output)?.[1] ?? ''
  const client = new ControlPlaneClient({ url: server.url, apiKey })
  let count = 0
  const projects: TemporaryFolder[] = []
  const floor = async () => {
    const project = await temporaryFolder()
    projects.push(project)
    return byHand(project.path)
  }
  await work(client, ++count)
  await floor()
  return {
    figure: () => duration(() => work(client, ++count)),
    floors: { 'npm ci, then runyard serve': floor },
    async close() {
      await server.stop()
      // Not earlier: on some disks an install takes half as long again after the removal of 12,000 files.
      for (const folder of [data, ...projects]) await folder.remove()
    },
  }
}

async function deploy(client: ControlPlaneClient, name: string): Promise<void> {
  const { id } = await create(client, name)
  await rollOut(client, id)
}

async function create(client: ControlPlaneClient, name: string): Promise<Deployment> {
  return client.createDeployment({
    name,
    source: 'internal_source',
    source_config: {},
    source_revision_config: {},
    secrets: [],
  })
}

async function rollOut(client: ControlPlaneClient, id: string): Promise<void> {
  const tarball = await packFolder(example)
  const upload = await client.requestUpload(id)
  await client.upload(upload, tarball)
  const { latest_revision_id } = await client.patchDeployment(id, {
    revision_source: 'internal_source',
    source_revision_config: {
      source_tarball_path: upload.object_path,
      langgraph_config_path: 'langgraph.json',
    },
  })
  if (latest_revision_id === null) throw new Error('The deployment has no revision.')
  for (;;) {
    const revision = await client.getRevision(id, latest_revision_id)
    if (revision.status === 'DEPLOYED') return
    if (isOver(revision.status)) throw new Error(`${revision.status}: ${revision.status_message}`)
    await delay(POLL_MS)
  }
}

/** Milliseconds until the example answers, from a copy of its folder in this one. */
async function byHand(project: string): Promise<number> {
  const filter = (path: string) =>
    !/\/(node_modules|\.runyard)(\/|$)/.test(path.slice(example.length))
  await cp(example, project, { recursive: true, filter })
  let stop = async () => {}
  const taken = await duration(async () => {
    await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: project })
    const args = ['serve', '--data-dir', join(project, 'data')]
    stop = (await startServer(args, { cwd: project })).stop
  })
  await stop()
  return taken
}
