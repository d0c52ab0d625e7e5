/** The Studio of `runyard dev` in a real browser, while its project is changed. */
import { dirname } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { NO_BROWSER, startBrowser } from '../support/dashboard/browser.ts'
import { builtDashboard } from '../support/dashboard/dashboard-build.ts'
import { DashboardVisitor } from '../support/dashboard/dashboard-visitor.ts'
import { installHostPython, NO_PYTHON } from '../support/hosts/python.ts'
import {
  type DevProcess,
  type ProjectFiles,
  startDevProcess,
} from '../support/processes/dev-process.ts'

const skipped = NO_BROWSER ? ` (skipped: ${NO_BROWSER})` : ''
const withoutPython = NO_PYTHON ? ` (skipped: ${NO_PYTHON})` : ''

const graph = (node: string) => `
import { AIMessage } from '@langchain/core/messages'
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('${node}', ({ messages }) => ({
    messages: [new AIMessage('${node}: ' + messages.at(-1).text)],
  }))
  .addEdge(START, '${node}')
  .compile()
`
const PROJECT: ProjectFiles = {
  'langgraph.json': '{ "graphs": { "agent": "./graph.ts:graph" } }',
  'graph.ts': graph('greet'),
}

const AGENT = `
from typing import Annotated
from uuid import uuid4

from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.ui import AnyUIMessage, push_ui_message, ui_message_reducer


class State(MessagesState):
    ui: Annotated[list[AnyUIMessage], ui_message_reducer]


def respond(_: State) -> dict:
    message = AIMessage("Here it is.", id=str(uuid4()))
    push_ui_message("weather", {"city": "Bern", "temperature": 7}, message=message)
    return {"messages": [message]}


graph = StateGraph(State).add_node("respond", respond).add_edge(START, "respond").compile()
`
const component = (unit: string) => `
function Weather({ city, temperature }: { city: string; temperature: number }) {
  return <strong>{city}: {temperature} ${unit}</strong>
}

export default { weather: Weather }
`
const IN_PYTHON: ProjectFiles = {
  'langgraph.json': JSON.stringify({
    dependencies: ['.'],
    graphs: { agent: './agent.py:graph' },
    ui: { agent: './ui.tsx' },
  }),
  'agent.py': AGENT,
  'ui.tsx': component('°C'),
}

describe.skipIf(NO_BROWSER)(`the Studio of dev${skipped}`, () => {
  let browser: Browser
  let dev: DevProcess
  let visitor: DashboardVisitor
  let page: Page
  beforeAll(async () => {
    await builtDashboard()
    browser = await startBrowser()
  })
  afterAll(() => browser?.close())
  afterEach(async () => {
    const { problems } = visitor
    await visitor.leave()
    await dev.stop()
    expect(problems).toEqual([])
  })

  async function open(files: ProjectFiles, env: NodeJS.ProcessEnv = {}): Promise<void> {
    dev = startDevProcess(files, { env })
    visitor = await DashboardVisitor.come(browser, `${await dev.ready}/studio`)
    page = await visitor.open('/studio/agent')
  }
  const messages = () => page.getByRole('region', { name: 'Messages' })
  const node = (name: string) => page.locator(`[data-node="${name}"]`)
  async function say(text: string): Promise<void> {
    const field = page.getByRole('textbox', { name: 'Message', exact: true })
    await field.fill(text)
    await field.press('Enter')
  }
  /** The word of it goes away again soon. */
  async function change(files: ProjectFiles): Promise<void> {
    const told = page.getByText('A new version answers now: its graph is read again.').waitFor()
    dev.write(files)
    await told
  }

  test('draws the graph anew when its file has changed, and the conversation goes on', async () => {
    await open(PROJECT)
    await node('greet').waitFor()
    await say('hello')
    await messages().getByText('greet: hello').waitFor()
    await change({ 'graph.ts': graph('thank') })
    await node('thank').waitFor()
    await node('greet').waitFor({ state: 'detached' })
    await say('bye')
    await messages().getByText('thank: bye').waitFor()
    await messages().getByText('greet: hello').waitFor()
  })

  test.skipIf(NO_PYTHON)(
    `shows a component that a graph in Python has sent, and its changes${withoutPython}`,
    async () => {
      await open(IN_PYTHON, { VIRTUAL_ENV: dirname(dirname(await installHostPython())) })
      await say('How is the weather?')
      const shown = messages().locator('[data-component=weather] iframe').contentFrame()
      await shown.getByText('Bern: 7 °C').waitFor()
      await change({ 'ui.tsx': component('degrees') })
      await shown.getByText('Bern: 7 degrees').waitFor()
    },
  )
})
