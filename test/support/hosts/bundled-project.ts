/** A project that has a bit of everything that a bundle must get right, in a folder of its own. */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

const MODULES = resolve(import.meta.dirname, '../../../node_modules')

/** With the packages of this repository that the files may import. */
export async function writeProject(root: string, files: Record<string, string>): Promise<void> {
  await writeFiles(root, files)
  await mkdir(join(root, 'node_modules'), { recursive: true })
  for (const name of ['@langchain', 'hono', 'zod']) {
    await symlink(join(MODULES, name), join(root, 'node_modules', name))
  }
}

/** Writes them below the folder. */
export async function writeFiles(root: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), text)
  }
}

/** ES modules and CommonJS, path aliases, JSX, top-level await, auth, routes and embeddings. */
export const MANY_SIDED: Record<string, string> = {
  'package.json': '{ "type": "module" }',
  'langgraph.json': JSON.stringify({
    graphs: { modern: './src/modern.ts:graph', old: './src/old.cjs:graph' },
    auth: { path: './src/auth.ts:auth' },
    http: { app: './src/app.tsx:app' },
    store: { index: { embed: './src/embed.ts:embed', dims: 2 } },
  }),
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      jsx: 'react-jsx',
      jsxImportSource: 'hono/jsx',
      paths: { '@words/*': ['./src/words/*'] },
    },
  }),
  'src/words/shout.ts': `
/** Far enough down that only a source map finds the line. */
export const shout = (text: string): string => {
  if (text === 'boom') throw new RangeError('too loud')
  return text.toUpperCase()
}
`,
  'src/modern.ts': `
import { AIMessage, BaseMessage, HumanMessage } from '@langchain/core/messages'
import { Annotation, MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import beside from 'beside'
import { shout } from '@words/shout.js'

const name = await Promise.resolve('modern')
const State = Annotation.Root({ ...MessagesAnnotation.spec, seen: Annotation<string> })

export const graph = new StateGraph(State)
  .addNode('answer', ({ messages }) => {
    const last = messages.at(-1)
    const isOne = last instanceof HumanMessage && last instanceof BaseMessage
    const seen = [name, isOne, beside(), AIMessage.name].join(' ')
    return { seen, messages: [new AIMessage(shout(String(last?.content)))] }
  })
  .addEdge('__start__', 'answer')
  .addEdge('answer', '__end__')
`,
  'src/old.cjs': `
const { Annotation, StateGraph } = require('@langchain/langgraph')
const { readFileSync } = require('fs')
const State = Annotation.Root({ text: Annotation })
exports.graph = new StateGraph(State)
  .addNode('count', ({ text }) => ({ text: text + typeof readFileSync }))
  .addEdge('__start__', 'count')
  .addEdge('count', '__end__')
  .compile()
`,
  'src/auth.ts': `
import { Auth, HTTPException } from '@langchain/langgraph-sdk/auth'
export const auth = new Auth().authenticate((request) => {
  if (request.headers.get('authorization') === 'Bearer ann') return { identity: 'ann', permissions: [] }
  throw new HTTPException(401, { message: 'nobody' })
})
`,
  'src/app.tsx': `
import { Hono } from 'hono'
import { shout } from '@words/shout'
export const app = new Hono().get('/page', (c) => c.html(<b>{shout('hello')}</b>))
`,
  'src/embed.ts': `
export const embed = async (texts: string[]) => texts.map((text) => [text.length, 1])
`,
  // A package that reads a file of its own: it stays outside of the bundle.
  'node_modules/beside/package.json':
    '{ "name": "beside", "version": "1.0.0", "main": "index.js" }',
  'node_modules/beside/index.js': `
const { readFileSync } = require('node:fs')
const { join } = require('node:path')
module.exports = () => readFileSync(join(__dirname, 'word.txt'), 'utf8')
`,
  'node_modules/beside/word.txt': 'beside',
}
