/** A small project in Python, whose graph answers with what its own package says. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const AGENT = `
from langgraph.graph import MessagesState, StateGraph

from my_tools import ANSWER


async def respond(state: MessagesState) -> dict:
    text = ANSWER or state["messages"][-1].content
    return {"messages": [{"role": "ai", "content": text}]}


graph = StateGraph(MessagesState).add_node(respond).add_edge("__start__", "respond").compile()
`

const PROJECT = `
[project]
name = "my-tools"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = ["langgraph==1.2.24"]

[build-system]
requires = ["uv_build>=0.13,<0.14"]
build-backend = "uv_build"
`

/** `answer`: empty for what it was asked. `more`: files beside or in place of those. */
export function writePythonProject(
  folder: string,
  { answer = '', more = {} }: { answer?: string; more?: Record<string, string> } = {},
): void {
  const files = {
    'langgraph.json': JSON.stringify({
      dependencies: ['.'],
      graphs: { agent: './agent.py:graph' },
    }),
    'agent.py': AGENT,
    'src/my_tools/__init__.py': `ANSWER = ${JSON.stringify(answer)}\n`,
    'pyproject.toml': PROJECT,
    ...more,
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}
