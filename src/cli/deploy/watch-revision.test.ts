import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { ControlPlaneClient } from '../../../client/src/client.ts'
import { close, listen } from '../../http/listen.ts'
import { watchRevision } from './watch-revision.ts'

const AT = { deployment_id: 'd', revision_id: 'r' }
const { signal } = new AbortController()

const FIRST = { id: '1', message: 'npm ci' }
const LAST = { id: '2', message: 'It has ended well.' }

/** A control plane whose revision has the next status at each look. The build prints `LAST` when it is over. */
async function startControlPlane(statuses: string[]): Promise<ControlPlaneClient> {
  let status = statuses[0]
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const isLog = request.url?.endsWith('/build_logs')
    if (!isLog) status = statuses.shift() ?? status
    const printed = status === 'BUILDING' ? [FIRST] : [FIRST, LAST]
    const offset = isLog ? (JSON.parse(text).offset ?? '') : ''
    const body = isLog ? { logs: printed.filter(({ id }) => id > offset) } : { status }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(body))
  }
  const server = createServer((request, response) => void answer(request, response))
  const url = await listen(server, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => close(server))
  return new ControlPlaneClient({ url, apiKey: 'x' })
}

async function shown(statuses: string[]): Promise<string[]> {
  const told: string[] = []
  const viewer = {
    onStatus: (status: string) => void told.push(status),
    onBuildLine: (line: string) => void told.push(line),
  }
  const client = await startControlPlane(statuses)
  await watchRevision(client, AT, { viewer, signal })
  return told
}

it('tells what a build prints at its end before the status that follows', async () => {
  const told = await shown(['BUILDING', 'DEPLOYING', 'DEPLOYED'])
  expect(told).toEqual(['BUILDING', 'npm ci', 'It has ended well.', 'DEPLOYING', 'DEPLOYED'])
})

it.each(['DEPLOYED', 'BUILD_FAILED'])(
  'tells what a build has printed before %s where it looks when all is over',
  async (status) => {
    expect(await shown([status])).toEqual(['npm ci', 'It has ended well.', status])
  },
)
