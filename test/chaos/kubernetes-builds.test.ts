/**
 * Builds as Jobs of a real cluster, by `up`: they see nothing of the operator, have their limits, and outlive the control
 * plane. `vitest.config.ts` leaves it out where TEST_KUBECONFIG names no cluster. It takes what `kubernetes.test.ts`
 * takes. Its pods install packages: where they reach registries by a proxy alone, HTTPS_PROXY names that.
 */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../support/processes/free-port.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { RealCluster } from './cluster.ts'
import { OutlivedRunyard } from './outlived-runyard.ts'
import { RolledOut } from './rollouts.ts'

const LIMIT_MS = 900_000
const POLL = { timeout: 300_000, interval: 200 }
const HUSH = 'nobody-else-is-to-see-this'
const MEMORY_MB = 768

const id = randomUUID().slice(0, 8)
const cluster = new RealCluster(process.env.TEST_KUBECONFIG ?? '', `runyard-builds-${id}`)
/** What is read where it can be, of whoever runs beside it and of the node. */
const LOOK =
  'env; cat /proc/*/environ /var/run/secrets/kubernetes.io/serviceaccount/token /root/* 2>/dev/null | tr "\\0" "\\n"; ' +
  'touch /mine 2>/dev/null && echo it has written; true'
const HUNGRY = `node -e 'const all = []; setInterval(() => all.push(Buffer.alloc(3e7, 1)), 5)'`
const deployment = new RolledOut('probed', {
  isInstalled: true,
  resource_spec: { min_scale: 1, max_scale: 1, memory_mb: 128, memory_limit_mb: 512 },
  build_command: LOOK,
})
const dataDir = temporaryFolder()
let runyard: OutlivedRunyard

beforeAll(async () => {
  await cluster.createNamespace()
  runyard = new OutlivedRunyard(dataDir, settings(await freePort()))
  await runyard.start()
}, 120_000)
afterAll(async () => {
  await runyard?.stop()
  await cluster.removeNamespace()
  deployment.remove()
}, 120_000)

test(
  'a project is built in a pod, which sees nothing of the operator',
  async () => {
    const revision = await deployment.create(runyard)
    expect(revision).toMatchObject({ status: 'DEPLOYED', status_message: null })
    await runyard.untilAnswered('probed')
    const log = await logOf(revision)
    expect(log).toContain(`Building as the Job agent-build-${revision.id}`)
    expect(log).toContain('Build succeeded.')
    const key = await readFile(join(dataDir, 'encryption.key'), 'utf8')
    for (const hidden of [HUSH, runyard.key, key.trim(), 'it has written', 'postgres://', dataDir])
      expect(log).not.toContain(hidden)
    await expect.poll(() => cluster.jobs(), POLL).toEqual([])
  },
  LIMIT_MS,
)

test(
  'a build goes on when its control plane is killed, and the next one takes what it gives',
  async () => {
    const rolling = deployment.rollOut(runyard).catch(() => undefined)
    await expect.poll(() => cluster.jobs(), POLL).toMatchObject([{ active: 1 }])
    const [job] = await cluster.jobs()
    await Promise.all([runyard.kill(), rolling])
    await runyard.start()
    const revision = await deployment.untilOver(runyard)
    expect(revision).toMatchObject({ status: 'DEPLOYED', status_message: null })
    expect(job?.name).toBe(`agent-build-${revision.id}`)
    expect(await logOf(revision)).toContain('Going on with the build')
    await expect.poll(() => cluster.jobs(), POLL).toEqual([])
    await runyard.untilAnswered('probed')
  },
  LIMIT_MS,
)

test(
  'a build that takes too much memory fails with the reason, and the deployment goes on',
  async () => {
    const revision = await deployment.rollOut(runyard, 'good', { build_command: HUNGRY })
    expect(revision).toMatchObject({ status: 'BUILD_FAILED' })
    expect(revision.status_message).toContain(`more than the ${MEMORY_MB} MiB of memory`)
    await expect.poll(() => cluster.jobs(), POLL).toEqual([])
    await runyard.untilAnswered('probed')
  },
  LIMIT_MS,
)

async function logOf({ id: revision_id }: { id: string }): Promise<string> {
  const path = `${deployment.path}/revisions/${revision_id}/logs?type=build&limit=1000`
  return JSON.stringify((await runyard.call('GET', path)).body)
}

function settings(port: number): NodeJS.ProcessEnv {
  const env = process.env
  const host = env.TEST_KUBERNETES_HOST ?? ''
  const database = new URL(env.TEST_KUBERNETES_DATABASE_URL ?? '')
  database.searchParams.set('schema', `builds_${id}`)
  return {
    ...{ RUNYARD_HOST: host, RUNYARD_PORT: String(port) },
    RUNYARD_AGENTS_URL: `http://${host}:${port}`,
    ...{ RUNYARD_RUNTIME: 'kubernetes', RUNYARD_KUBECONFIG: env.TEST_KUBECONFIG },
    ...{ RUNYARD_IMAGE: env.TEST_KUBERNETES_IMAGE, RUNYARD_DATABASE_URL: database.href },
    ...{ RUNYARD_BUILD_MEMORY_MB: String(MEMORY_MB), A_VARIABLE_OF_THE_OPERATOR: HUSH },
    ...{
      RUNYARD_KUBERNETES_NAMESPACE: cluster.namespace,
      RUNYARD_KUBERNETES_INSTALLATION: id,
    },
  }
}
