/** Generative UI: what `LoadExternalComponent` of the SDK asks for, and what it makes of it. */
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onSource } from '../../../src/graph/js/modules/hooks.ts'
import {
  clientOf,
  type RunningAgentServer,
  startAgentServer,
} from '../../support/agent/agent-server.ts'

const start = (configName?: string) =>
  startAgentServer({ projectName: 'widgets', ...(configName && { configName }) })

/** The client that the SDK's component asks with. */
interface UiClient {
  getComponent(graph: string, name: string): Promise<string>
}

const uiOf = (url: string) => (clientOf(url) as unknown as { '~ui': UiClient })['~ui']

let server: RunningAgentServer
const sources: string[] = []

beforeAll(async () => {
  onSource((file) => sources.push(file))
  server = await start()
})
afterAll(async () => {
  onSource(() => {})
  await server.stop()
})

const get = (path: string) => fetch(`${server.url}${path}`)

test('a page is told what to load and to call', async () => {
  const html = await uiOf(server.url).getComponent('weather-agent', 'weather')
  const base = `${server.url}/ui/weather-agent`
  expect(html).toBe(
    `<link rel="stylesheet" href="${base}/entrypoint.css" />\n` +
      `<script src="${base}/entrypoint.js" onload='__LGUI_weather_agent.render("weather", "{{shadowRootId}}")'></script>`,
  )
})

test('the script renders a component with the modules of the page', async () => {
  const { headers, code } = await loadScript('weather-agent')
  expect(headers.get('content-type')).toContain('javascript')
  const { loaded, responded, page } = makePage()
  runInNewContext(`${code};__LGUI_weather_agent.render('weather', 'root-1')`, page)
  expect(loaded).toEqual(expect.arrayContaining(['react', 'react/jsx-runtime', 'theme-kit/colors']))
  const [[id, component, target] = []] = responded
  expect([id, target]).toEqual(['root-1', { tag: 'div' }])
  const element = (component as (props: object) => unknown)({ city: 'Bern', temperature: 7 })
  expect(element).toMatchObject({
    tag: 'p',
    props: { style: { color: 'green' }, children: ['Bern', ': ', '7 °C'] },
  })
})

test('styles come in a file of their own, and only where there are some', async () => {
  const styles = await get('/ui/weather-agent/entrypoint.css')
  expect(styles.headers.get('content-type')).toContain('text/css')
  expect(await styles.text()).toContain('font-weight')
  expect(await uiOf(server.url).getComponent('plain', 'note')).not.toContain('<link')
  expect((await get('/ui/plain/entrypoint.css')).status).toBe(404)
})

test('a name that is no name stays text', async () => {
  const html = await uiOf(server.url).getComponent('plain', `'><img src=x onerror=alert(1)>`)
  expect(html).not.toContain('<img')
  expect(html.match(/'/g)).toHaveLength(2)
})

test.each(['..%2f..%2fpackage.json', '%2e%2e', 'entrypoint.js%00', 'ui.tsx'])(
  'only the files of the bundle are there, not %s',
  async (file) => {
    expect((await get(`/ui/weather-agent/${file}`)).status).toBe(404)
  },
)

test('what has no components is not found', async () => {
  const missing = await fetch(`${server.url}/ui/agent`, { method: 'POST', body: '{"name":"x"}' })
  expect(missing.status).toBe(404)
  expect(await missing.json()).toEqual({ detail: expect.stringContaining('langgraph.json') })
  expect((await get('/ui/agent/entrypoint.js')).status).toBe(404)
})

/** Where the SDK of the graph's language names the message that a component belongs to. */
const MESSAGE = process.env.TEST_HOST === 'python' ? 'message_id' : 'id'

test('what a graph sends with a message is streamed and kept', async () => {
  const client = clientOf(server.url)
  const { thread_id } = await client.threads.create()
  const events: unknown[] = []
  const input = { messages: [{ role: 'user', content: 'And the weather?' }] }
  const run = client.runs.stream(thread_id, 'weather-agent', { input, streamMode: ['custom'] })
  for await (const { event, data } of run) if (event === 'custom') events.push(data)
  const shown = {
    ...{ type: 'ui', id: expect.any(String), name: 'weather' },
    props: { city: 'Bern', temperature: 7 },
    metadata: expect.objectContaining({ [MESSAGE]: 'said' }),
  }
  expect(events).toEqual([shown])
  const { values } = await client.threads.getState<{ ui: unknown[] }>(thread_id)
  expect(values.ui).toEqual(events)
})

test('behind a gateway the page loads from where it asked', async () => {
  const response = await fetch(`${server.url}/ui/plain`, {
    method: 'POST',
    headers: { 'x-forwarded-host': 'agents.test', 'x-forwarded-prefix': '/agents/widgets' },
    body: JSON.stringify({ name: 'note' }),
  })
  expect(await response.text()).toContain('src="//agents.test/agents/widgets/ui/plain/entry')
})

test('files of the components are files of the project', () => {
  const names = sources.map((file) => file.replace(/^.*widgets\//, ''))
  expect(names).toEqual(expect.arrayContaining(['src/ui.tsx', 'src/degrees.ts', 'src/ui.css']))
})

describe('a server of another configuration', () => {
  test('has its prefix in what pages load', async () => {
    const prefixed = await start('prefixed.json')
    const html = await uiOf(`${prefixed.url}/team`).getComponent('plain', 'note')
    const [, address] = /src="([^"]+)"/.exec(html) ?? []
    expect(address).toBe(`${prefixed.url}/team/ui/plain/entrypoint.js`)
    expect((await fetch(String(address))).status).toBe(200)
    await prefixed.stop()
  })

  test('does not start with components that cannot be bundled, and says where it is', async () => {
    await expect(start('broken.json')).rejects.toThrow(
      /ui "broken" could not be bundled: src\/broken\.tsx:[23]:\d+: /,
    )
    await expect(start('missing.json')).rejects.toThrow(/ui "gone": there is no file/)
  })
})

async function loadScript(graph: string): Promise<{ headers: Headers; code: string }> {
  const response = await get(`/ui/${graph}/entrypoint.js`)
  return { headers: response.headers, code: await response.text() }
}

/** As much of a page as the SDK's `react-ui` prepares for a bundle. */
function makePage() {
  const loaded: string[] = []
  const responded: [string, unknown, unknown][] = []
  const jsx = (tag: string, props: object) => ({ tag, props })
  const modules: Record<string, object> = {
    react: { useState: (value: unknown) => [value] },
    'react/jsx-runtime': { jsx, jsxs: jsx },
    'theme-kit/colors': { accent: 'green' },
  }
  const page = {
    document: {
      createElement: (tag: string) => ({ tag }),
      getElementById: () => ({ shadowRoot: { appendChild() {} } }),
    },
    [Symbol.for('LGUI_REQUIRE')]: (name: string) => {
      loaded.push(name)
      return modules[name]
    },
    [Symbol.for('LGUI_EXT_STORE')]: {
      respond: (...args: [string, unknown, unknown]) => responded.push(args),
    },
  }
  return { loaded, responded, page }
}
