/** `examples/chat-ui`, installed, built and served as its README says. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, resolve } from 'node:path'
import { run } from '../processes/program.ts'

const EXAMPLE = resolve(import.meta.dirname, '../../../examples/chat-ui')

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

/** Installs the example where that has not been done. */
export async function installChatUi(): Promise<void> {
  if (existsSync(join(EXAMPLE, 'node_modules/.package-lock.json'))) return
  const args = ['ci', '--ignore-scripts', '--loglevel=error']
  await run('npm', args, { cwd: EXAMPLE })
}

/** Throws with what TypeScript has to say of the example, if it has. */
export async function checkChatUi(): Promise<void> {
  const tsc = join(EXAMPLE, 'node_modules/.bin/tsc')
  try {
    await run(tsc, ['--noEmit', '-p', '.'], { cwd: EXAMPLE })
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout)
  }
}

/** Builds the page into `into` and serves it at the URL that is answered. */
export async function serveChatUi(into: string): Promise<{ url: string; stop(): Promise<void> }> {
  const vite = join(EXAMPLE, 'node_modules/.bin/vite')
  const args = ['build', '--outDir', into, '--emptyOutDir', '--logLevel', 'error']
  await run(vite, args, { cwd: EXAMPLE })
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const file = join(into, pathname === '/' ? 'index.html' : pathname)
    const body = await readFile(file).catch(() => undefined)
    response.writeHead(body ? 200 : 404, { 'content-type': TYPES[extname(file)] ?? 'text/plain' })
    response.end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((settle) => server.close(settle))
    },
  }
}
