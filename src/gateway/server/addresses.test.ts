import { once } from 'node:events'
import type { Server } from 'node:http'
import net, { type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { echo, KEY, openWorld, type World } from '../../../test/support/gateway/gateway-world.ts'
import { close, listen } from '../../http/listen.ts'
import { createGatewayServer } from './server.ts'

let world: World
let server: Server

afterEach(async () => {
  await world.close()
  await close(server)
})

const REQUEST = `GET /agents/agent/x HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${KEY}\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n`

describe('the address of a client', () => {
  beforeEach(async () => {
    world = await openWorld()
    server = createGatewayServer(world.gateway)
  })

  it('stays known after the client has reset its connection', async () => {
    const url = await listen(server, { host: '127.0.0.1', port: 0 })
    const client = net.connect(Number(new URL(url).port), '127.0.0.1')
    client.on('error', () => {})
    const [accepted] = (await once(server, 'connection')) as [Socket]
    const closed = new Promise((resolve) => accepted.once('close', resolve))
    client.resetAndDestroy()
    await closed
    expect(accepted.remoteAddress).toBe('127.0.0.1')
  })

  it('is needed: a connection without one is closed, and asks nothing', async () => {
    let passed = 0
    await world.serveAgent((req, res) => {
      passed += 1
      echo(req, res)
    })
    const nowhere = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
    nowhere.on('error', () => {})
    nowhere.push(REQUEST)
    server.emit('connection', nowhere)
    if (!nowhere.destroyed) await once(nowhere, 'close')
    expect(nowhere.destroyed).toBe(true)
    expect(passed).toBe(0)
  })
})
