import { expect, test } from 'vitest'
import { checkProject } from './check.ts'

const check = (files: Record<string, string>, isBuilt = true) =>
  checkProject(
    Object.entries(files).map(([path, text]) => ({ path, file: new File([text], path) })),
    { isBuilt },
  )

const GRAPHS = '{"graphs": {"agent": "./src/agent.ts:graph", "py": {"path": "agents.main:graph"}}}'

test('names the graphs of a project, and where its langgraph.json is', async () => {
  const files = { 'langgraph.json': GRAPHS, 'src/agent.ts': '' }
  expect(await check(files)).toEqual({ configPath: 'langgraph.json', graphs: ['agent', 'py'] })
  const below = { 'a/langgraph.json': GRAPHS, 'a/src/agent.ts': '', 'a/b/langgraph.json': '' }
  expect(await check(below)).toMatchObject({ configPath: 'a/langgraph.json' })
})

test.each([
  [{ 'agent.ts': '' }, 'There is no langgraph.json in it'],
  [{ 'langgraph.json': '{' }, 'langgraph.json is no JSON with "graphs"'],
  [{ 'langgraph.json': '{"graphs": {}}' }, 'langgraph.json names no graph'],
  [{ 'langgraph.json': GRAPHS }, 'The graph “agent” is in ./src/agent.ts, which is not sent'],
])('says what a build would refuse of %j', async (files, problem) => {
  expect((await check(files)).problem).toContain(problem)
})

test('lets a build command make the file', async () => {
  expect((await check({ 'langgraph.json': GRAPHS }, false)).problem).toBeUndefined()
})
