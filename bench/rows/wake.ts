/** How long the first request to a sleeping deployment waits. */
import { symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ControlPlaneClient, isOver } from '../../client/src/client.ts'
import { packFolder } from '../../src/cli/deploy/pack.ts'
import { duration } from '../clock.ts'
import type { Row } from '../row.ts'
import { benchProject, startServer, temporaryFolder } from '../server.ts'

const MODULES = resolve(import.meta.dirname, '../../node_modules')
const POLL_MS = 50

/** From the request to its answer, against a start of the project by hand. */
export const wakeRow: Row = {
  name: 'wake',
  title: 'first request to a deployment that sleeps',
  unit: 'ms',
  pairs: 5,
  async open() {
    const data = await temporaryFolder()
    // The project finds its packages here: nothing is installed.
    await symlink(MODULES, join(data.path, 'node_modules'))
    const env = { RUNYARD_DATA_DIR: data.path, RUNYARD_EXAMPLE: '0', RUNYARD_IDLE_SECS: '1' }
    const server = await startServer(['up'], { cwd: data.path, env })
    const apiKey = /^admin key (\S+)$/m.exec(server.output)?.[1] ?? ''
    const headers = { 'x-api-key': apiKey }
    const id = await deploy(new ControlPlaneClient({ url: server.url, apiKey }))
    const untilAsleep = async () => {
      const path = `${server.url}/v2/deployments/${id}/runtime`
      while (!(await (await fetch(path, { headers })).text()).includes('"state":"asleep"')) {
        await delay(POLL_MS)
      }
    }
    return {
      async figure() {
        await untilAsleep()
        return duration(async () => {
          const { status } = await fetch(`${server.url}/agents/bench/info`, { headers })
          if (status !== 200) throw new Error(`It answered ${status}.`)
        })
      },
      floors: { 'runyard serve': () => byHand(data.path) },
      async close() {
        await server.stop()
        await data.remove()
      },
    }
  },
}

async function deploy(client: ControlPlaneClient): Promise<string> {
  const { id } = await client.createDeployment({
    name: 'bench',
    source: 'internal_source',
    source_config: { install_command: 'true', resource_spec: { min_scale: 0 } },
    source_revision_config: {},
    secrets: [],
  })
  const upload = await client.requestUpload(id)
  await client.upload(upload, await packFolder(benchProject('echo')))
  const { latest_revision_id } = await client.patchDeployment(id, {
    source_revision_config: {
      source_tarball_path: upload.object_path,
      langgraph_config_path: 'langgraph.json',
    },
  })
  for (;;) {
    const revision = await client.getRevision(id, String(latest_revision_id))
    if (revision.status === 'DEPLOYED') return id
    if (isOver(revision.status)) throw new Error(`${revision.status}: ${revision.status_message}`)
    await delay(POLL_MS)
  }
}

async function byHand(folder: string): Promise<number> {
  let stop = async () => {}
  const args = ['serve', '--data-dir', join(folder, 'by-hand')]
  const taken = await duration(async () => {
    stop = (await startServer(args, { cwd: benchProject('echo') })).stop
  })
  await stop()
  return taken
}
