/** Answers that an agent server writes byte by byte: where one ends must not be open to two readings. */
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { openWorld, withKey } from '../../../test/support/gateway/gateway-world.ts'
import { forEachTest } from '../../../test/support/running.ts'

const world = forEachTest(() => openWorld({ restartWaitMs: 0 }))

const head = (...lines: string[]) =>
  `HTTP/1.1 200 OK\r\n${lines.map((one) => `${one}\r\n`).join('')}\r\n`
const chunked = head('Transfer-Encoding: chunked')

/** Serves an agent that answers each request with these bytes. */
async function serve(answer: string, after: (socket: Socket) => void = () => {}): Promise<void> {
  await world.serveRaw((socket) => {
    socket.on('data', () => {
      socket.write(answer, 'latin1')
      after(socket)
    })
  })
}

/** What a client gets; `undefined`: a refusal, or a broken connection. */
async function read(method = 'GET'): Promise<string | undefined> {
  try {
    const response = await fetch(`${world.url}/agents/agent/x`, { method, ...withKey })
    return response.status === 503 ? undefined : await response.text()
  } catch {
    return undefined
  }
}

describe('an answer', () => {
  it.each([
    ['of a length', `${head('Content-Length: 5')}hello`],
    [
      'with a value that names a header',
      `${head('Vary: Transfer-Encoding', 'Content-Length: 5')}hello`,
    ],
    ['in chunks', `${chunked}3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nDigest: 1\r\n\r\n`],
    [
      'after an interim one',
      `HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n${head('content-length: 5')}hello`,
    ],
  ])('%s arrives whole', async (_, answer) => {
    await serve(answer)
    expect(await read()).toBe('hello')
    expect(await read()).toBe('hello')
  })

  it('ends with the connection when it has no length', async () => {
    await serve(`${head('Content-Type: text/plain')}abc`, (socket) => socket.end())
    expect(await read()).toBe('abc')
  })

  it.each([
    ['a length and chunks', `${head('Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
    ['two lengths', `${head('Content-Length: 5', 'Content-Length: 6')}hello!`],
    ['the same length twice', `${head('Content-Length: 5', 'Content-Length: 5')}hello`],
    ['an unreadable length', `${head('Content-Length: +5')}hello`],
    ['another coding', `${head('Transfer-Encoding: gzip, chunked')}0\r\n\r\n`],
    ['chunked twice', `${head('Transfer-Encoding: chunked, chunked')}0\r\n\r\n`],
    [
      'two headers for chunks',
      `${head('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    ['a coding and no chunks', `${head('Transfer-Encoding: gzip')}hello`],
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['a header without a name', head(': x', 'Content-Length: 0')],
    ['a header without a colon', head('nothing', 'Content-Length: 0')],
    ['a blank in the name of a header', head('Content-Length : 0')],
    ['a folded header', head('X: a', ' b: c', 'Content-Length: 0')],
    ['a NUL in a header', head('X: a\0\0b\0c', 'Content-Length: 0')],
    ['a lone CR in a header', head('X: a\rb', 'Content-Length: 0')],
    ['a lone LF in a header', head('X: a\nY: b', 'Content-Length: 0')],
    ['a NUL in its status message', 'HTTP/1.1 200 O\0K\r\nContent-Length: 0\r\n\r\n'],
    ['a NUL in a trailer', `${chunked}0\r\nX: a\0b\r\n\r\n`],
    ['a trailer without a proper name', `${chunked}0\r\na b: c\r\n\r\n`],
    ['an unasked switch', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
    ['an unreadable chunk', `${chunked}-1\r\n`],
    ['a chunk that is too long', `${chunked}1\r\nab\r\n0\r\n\r\n`],
    ['a line without CR', `${chunked}1\na\r\n0\r\n\r\n`],
    ['a head without end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}`],
  ])('with %s is refused', async (_, answer) => {
    await serve(answer)
    expect(await read()).toBeUndefined()
  })

  it.each([
    ['in its head', 'HTTP/1.1 200'],
    ['in its body', `${head('Content-Length: 5')}hel`],
    ['between chunks', `${chunked}1\r\na\r\n`],
  ])('that breaks off %s is refused', async (_, answer) => {
    await serve(answer, (socket) => socket.end())
    expect(await read()).toBeUndefined()
  })
})

describe('bytes that no request asked for', () => {
  const poison = `${head('Content-Length: 6')}poison`

  /** Answers `/surplus/MS` with more than its length, so many ms later, and all others after a while. */
  async function serveSurplus(): Promise<void> {
    await world.serveRaw((socket) => {
      socket.on('data', (bytes) => {
        const path = /^GET (\S+)/.exec(String(bytes))?.[1] ?? ''
        const ms = /^\/surplus\/(\d+)$/.exec(path)?.[1]
        const answer = `${head('Content-Length: 5')}hello`
        if (ms === undefined) setTimeout(() => socket.write(answer.replace('hello', 'right')), 30)
        else if (ms === '0') socket.write(answer + poison)
        else socket.write(answer, () => setTimeout(() => socket.write(poison), Number(ms)))
      })
    })
  }

  const ask = async (path: string) =>
    await (await fetch(`${world.url}/agents/agent${path}`, withKey)).text()

  it.each([0, 1, 2, 5, 10, 25])('are no answer to the next caller, %i ms later', async (ms) => {
    await serveSurplus()
    for (let i = 0; i < 3; i += 1) {
      expect(await ask(`/surplus/${ms}`)).toBe('hello')
      expect(await ask('/victim')).toBe('right')
    }
  })

  it('end a connection that is free', async () => {
    const closed = Promise.withResolvers<void>()
    await world.serveRaw((socket) => {
      socket.once('data', () => socket.write(`${head('Content-Length: 0')}`))
      socket.once('close', () => closed.resolve())
      socket.once('data', () => setTimeout(() => socket.write('\r\n'), 20))
    })
    expect(await ask('/x')).toBe('')
    await closed.promise
  })

  it('cannot come on a connection that its server closes within two seconds', async () => {
    const closed = Promise.withResolvers<void>()
    await world.serveRaw((socket) => {
      socket.on('data', () => socket.write(head('Keep-Alive: timeout=2', 'Content-Length: 0')))
      socket.once('close', () => closed.resolve())
    })
    expect(await ask('/x')).toBe('')
    await closed.promise
  })

  it('end a connection with endless interim answers', async () => {
    const closed = Promise.withResolvers<void>()
    await world.serveRaw((socket) => {
      writeFor('HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n'.repeat(100), socket)
      socket.once('close', () => closed.resolve())
    })
    expect(await read()).toBeUndefined()
    await closed.promise
  })

  it.each([
    ['chunk extensions', `${chunked}`, `1;${'e'.repeat(16_000)}\r\na\r\n`],
    ['one chunk extension', `${chunked}1;`, 'e'.repeat(16_000)],
    ['empty lines before it', '', '\r\n'.repeat(8000)],
  ])('end a connection with endless %s', async (_, begin, rest) => {
    const closed = Promise.withResolvers<void>()
    await world.serveRaw((socket) => {
      writeFor(rest, socket, begin)
      socket.once('close', () => closed.resolve())
    })
    expect(await read()).toBeUndefined()
    await closed.promise
  })

  it('may be many where the body is more', async () => {
    await serve(`${chunked}${'1\r\na\r\n'.repeat(200_000)}0\r\n\r\n`)
    expect((await read())?.length).toBe(200_000)
  })
})

/** Answers a request with these bytes again and again, until the connection ends. */
function writeFor(bytes: string, socket: Socket, begin = ''): void {
  const goOn = () => {
    while (!socket.destroyed && socket.write(bytes));
  }
  socket.on('drain', goOn)
  socket.once('data', () => {
    socket.write(begin)
    goOn()
  })
}
