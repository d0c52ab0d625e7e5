import { beforeAll, expect, test } from 'vitest'
import { effort, SEED } from '../chaos/effort.ts'
import { readDocument } from '../contract/document.ts'
import { aCreateRequest } from '../support/control-plane/control-plane.ts'
import { forAllTests } from '../support/running.ts'
import { fuzz } from './fuzz.ts'
import { startFuzzedProcess } from './fuzzed-process.ts'
import { KnownIds } from './known-values.ts'
import { expectReach } from './tally.ts'

/** The count ends it, on a machine that does nothing else in a tenth of this. */
const LIMIT_MS = effort({ short: 240_000, whole: 900_000 })

/** The certificate that the fuzz knows is for all of these. */
const HOSTS = ['agents.example.com', 'a.team.example.com', 'b.team.example.com']

let url: string
let headers: Record<string, string>

const server = forAllTests(() => startFuzzedProcess('control-plane-process.ts'))
beforeAll(async () => {
  const [address = '', key = ''] = server.line.split(' ')
  url = address
  headers = { 'x-api-key': key }
})

test(
  `no request to the control plane breaks it (seed ${SEED})`,
  async () => {
    const ids = new KnownIds()
    for (const name of ['first', 'second', 'third']) ids.learn(await deploy(name))
    for (const host of HOSTS) ids.learn(await addDomain(ids, host))
    const document = readDocument('control-plane')
    const tally = await fuzz(
      { url, document, headers, ids },
      { requests: effort({ short: 3_000, whole: 30_000 }), seed: SEED, limitMs: LIMIT_MS },
    )
    expectReach(tally)
    expect(await (await fetch(`${url}/ok`)).json()).toEqual({ ok: true })
    expect(server.isAlive()).toBe(true)
  },
  LIMIT_MS + 60_000,
)

async function deploy(name: string): Promise<unknown> {
  const response = await fetch(`${url}/v2/deployments`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(aCreateRequest({ name })),
  })
  return response.json()
}

/** Answers it as an id that belongs to its deployment. */
async function addDomain(ids: KnownIds, host: string): Promise<unknown> {
  const deployment_id = ids.fill(`@@deployment_id:${HOSTS.indexOf(host)}@@`, (id) => id)
  const response = await fetch(`${url}/v2/deployments/${deployment_id}/domains`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ host }),
  })
  expect(response.status).toBe(201)
  return { deployment_id, host_id: host }
}
