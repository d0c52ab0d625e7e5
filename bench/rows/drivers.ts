/**
 * The cost of the container drivers: deploys and wakes an image, against the same image started by hand. Needs an
 * engine or a cluster: `docs/benchmarks.md` lists the settings for the environment.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ControlPlaneClient, isOver } from '../../client/src/client.ts'
import { withSchema } from '../../src/core/database-url.ts'
import { duration } from '../clock.ts'
import { type ByHand, openCluster, openEngine } from '../image-by-hand.ts'
import type { OpenRow, Row } from '../row.ts'
import { startServer, temporaryFolder } from '../server.ts'

/** An image with `/project`, in a registry that control plane and driver reach: `127.0.0.1:5000/echo:1`. */
const IMAGE = process.env.BENCH_IMAGE
const POLL_MS = 20
const IDLE_SECS = '1'

interface Driver {
  name: 'docker' | 'kubernetes'
  isThere: boolean
  byHand: (image: string) => Promise<ByHand>
}

const DRIVERS: Driver[] = [
  {
    name: 'docker',
    isThere: process.env.RUNYARD_DOCKER_HOST !== undefined,
    byHand: openEngine,
  },
  {
    name: 'kubernetes',
    isThere: process.env.RUNYARD_KUBECONFIG !== undefined,
    byHand: openCluster,
  },
]

/** Empty without an engine or a cluster. */
export const driverRows: Row[] = DRIVERS.filter(({ isThere }) => isThere && IMAGE).flatMap(
  (driver) => [deployImageRow(driver), wakeImageRow(driver)],
)

function deployImageRow(driver: Driver): Row {
  return {
    name: `deploy-${driver.name}`,
    title: 'create → DEPLOYED of an image that is there already',
    unit: 'ms',
    pairs: 5,
    open: () =>
      openImages(driver, async ({ client, hand, remove }) => {
        let count = 0
        const figure = async () => {
          let id = ''
          const name = `bench-${++count}`
          const taken = await duration(async () => {
            id = await deploy(client, name, 1)
          })
          await remove(id)
          return taken
        }
        await figure()
        return { figure, floors: { [hand.created]: hand.create } }
      }),
  }
}

function wakeImageRow(driver: Driver): Row {
  return {
    name: `wake-${driver.name}`,
    title: 'first request to a deployment that sleeps',
    unit: 'ms',
    pairs: 5,
    open: () =>
      openImages(driver, async ({ client, hand, ask }) => {
        const id = await deploy(client, 'bench', 0)
        const figure = async () => {
          while (!(await ask(`/v2/deployments/${id}/runtime`)).includes('"state":"asleep"')) {
            await delay(POLL_MS)
          }
          return duration(() => ask('/agents/bench/info'))
        }
        return { figure, floors: { [hand.started]: hand.start } }
      }),
  }
}

interface Opened {
  client: ControlPlaneClient
  hand: ByHand
  /** The text of the answer. */
  ask(path: string): Promise<string>
  /** Settles when the deployment is removed completely. */
  remove(deployment_id: string): Promise<void>
}

/** A control plane with the driver, whose settings come from the environment. */
async function openImages(
  { name, byHand }: Driver,
  open: (opened: Opened) => Promise<Omit<OpenRow, 'close'>>,
): Promise<OpenRow> {
  const data = await temporaryFolder()
  const env = {
    ...{ RUNYARD_RUNTIME: name, RUNYARD_DATA_DIR: data.path, RUNYARD_EXAMPLE: '0' },
    ...{ RUNYARD_REGISTRY_ALLOW: 'loopback,private', RUNYARD_IDLE_SECS: IDLE_SECS },
    ...ownSchema(),
  }
  const server = await startServer(['up'], { cwd: data.path, env })
  const apiKey = /^admin key (\S+)$/m.exec(server.output)?.[1] ?? ''
  const client = new ControlPlaneClient({ url: server.url, apiKey })
  const hand = await byHand(IMAGE ?? '')
  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(server.url + path, { method, headers: { 'x-api-key': apiKey } })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}.`)
    return answer.text()
  }
  const remove = async (id: string) => {
    await ask(`/v2/deployments/${id}`, 'DELETE')
    while ((await client.listDeployments()).some((one) => one.id === id)) await delay(POLL_MS)
  }
  return {
    ...(await open({ client, hand, ask, remove })),
    async close() {
      for (const { id } of await client.listDeployments()) await remove(id)
      await hand.close()
      await server.stop()
      await data.remove()
    },
  }
}

/** Each row has an installation of its own, also if all share one PostgreSQL. */
function ownSchema(): NodeJS.ProcessEnv {
  const { RUNYARD_DATABASE_URL } = process.env
  if (RUNYARD_DATABASE_URL === undefined) return {}
  const schema = `bench_${randomUUID().slice(0, 8)}`
  return { RUNYARD_DATABASE_URL: withSchema(RUNYARD_DATABASE_URL, schema) }
}

/** Returns its id once it is DEPLOYED. */
async function deploy(
  client: ControlPlaneClient,
  name: string,
  min_scale: number,
): Promise<string> {
  const { id, latest_revision_id } = await client.createDeployment({
    name,
    source: 'external_docker',
    source_config: { resource_spec: { min_scale, max_scale: 1 } },
    source_revision_config: { image_uri: IMAGE ?? '' },
    secrets: [],
  })
  for (;;) {
    const revision = await client.getRevision(id, String(latest_revision_id))
    if (revision.status === 'DEPLOYED') return id
    if (isOver(revision.status)) throw new Error(`${revision.status}: ${revision.status_message}`)
    await delay(POLL_MS)
  }
}
