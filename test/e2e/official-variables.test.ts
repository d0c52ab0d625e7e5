/** Variables of the official server, read by a `serve` of each language. */
import { dirname, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { clientOf, fixtureProject } from '../support/agent/agent-server.ts'
import { installPython, NO_PYTHON } from '../support/hosts/python.ts'
import { startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const command = resolve(import.meta.dirname, '../../bin/runyard')
const REQUIREMENTS = resolve(import.meta.dirname, '../../hosts/python/requirements-dev.txt')

const VARIABLES = {
  BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS: '60',
  CORS_ALLOW_ORIGINS: 'https://app.test',
  LANGGRAPH_DEFAULT_RECURSION_LIMIT: '9',
  LANGGRAPH_HTTP: '{"disable_mcp": true}',
  LANGGRAPH_THREAD_TTL: '60',
  LOG_JSON: 'false',
  LOG_LEVEL: 'INFO',
  MOUNT_PREFIX: '/api',
}

test.for(['javascript', 'python'] as const)(
  'a server of graphs in %s follows them',
  { timeout: 120_000 },
  async (language, context) => {
    if (language === 'python' && NO_PYTHON) context.skip(NO_PYTHON)
    const python = language === 'python' ? await installPython(REQUIREMENTS) : undefined
    const dataDir = temporaryFolder()
    const args = [command, 'serve', '--port', '0', '--data-dir', dataDir]
    const server = await startServeProcess(process.execPath, args, {
      cwd: fixtureProject('echo', language),
      env: { ...VARIABLES, ...(python && { VIRTUAL_ENV: dirname(dirname(python)) }) },
    })
    let log = ''
    server.process.stderr?.on('data', (chunk) => {
      log += chunk
    })
    const url = `${server.url}/api`
    const client = clientOf(url)

    const many = { input: { label: 'a', count: 12, ms: 0 } }
    await expect(client.runs.wait(null, 'slow', many)).rejects.toThrow('limit of 9 reached')
    const config = { recursion_limit: 20 }
    expect(await client.runs.wait(null, 'slow', { ...many, config })).toHaveProperty('steps')

    const { thread_id } = await client.threads.create()
    const thread = await fetch(`${url}/threads/${thread_id}?include=ttl`)
    expect(await thread.json()).toMatchObject({ ttl: { strategy: 'delete', ttl_minutes: 60 } })
    const { headers } = await fetch(`${url}/ok`, { headers: { origin: 'https://app.test' } })
    expect(headers.get('access-control-allow-origin')).toBe('https://app.test')
    expect(headers.get('access-control-allow-credentials')).toBe('true')
    expect((await fetch(`${url}/mcp`, { method: 'POST' })).status).toBe(404)

    // It goes on for longer than the 3 seconds that runs have without the variable.
    const run = client.runs.stream(thread_id, 'slow', {
      input: { label: 'a', count: 1, ms: 5_000 },
      streamMode: 'custom',
    })
    for await (const { event } of run) if (event === 'metadata') break
    expect(await server.stop()).toBe(0)
    expect(log).toMatch(/^\S+Z INFO {2}a run has ended .*"status":"success","ms":[5-9]\d{3}\b/m)
    expect(log).not.toContain('DEBUG')
  },
)
