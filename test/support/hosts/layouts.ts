/**
 * Ways in which people lay out the modules of a project. Each is a folder with a `src/graph.ts`, or another `graph`, of
 * which the exported `graph` answers `ok`, at once or later.
 */

export interface Layout {
  /** By their paths in the folder. A `package.json` without `"type"`, as `npm init` writes it, is there where none is named. */
  files: Record<string, string>
  /** The file with the graph; default `src/graph.ts`. */
  graph?: string
  /** Why it is in no bundle; absent: it is bundled. */
  unbundled?: string
  /** tsx, which reads one `tsconfig.json`, does not load it. */
  isBeyondTsx?: true
}

const ESM = { 'package.json': '{ "type": "module" }' }
const aliases = (paths: object, more: object = {}) =>
  JSON.stringify({ compilerOptions: { paths, ...more } })
const answers = (expression: string) => `export const graph = () => ${expression}\n`

export const LAYOUTS: Readonly<Record<string, Layout>> = {
  'require of a package of Node': {
    files: { 'src/graph.ts': `const path = require('path')\n${answers("path.basename('/x/ok')")}` },
  },
  '__dirname in the graph': {
    files: {
      'src/graph.ts': answers(
        "__dirname.endsWith('src') && __filename.endsWith('graph.ts') ? 'ok' : __dirname",
      ),
    },
  },
  'require in a helper': {
    files: {
      'src/graph.ts': `import { text } from './helper'\n${answers('text')}`,
      'src/helper.ts':
        "const path = require('path')\nexport const text: string = path.basename('/x/ok')\n",
    },
  },
  'a file beside a helper, by __dirname': {
    files: {
      'src/graph.ts': `import { text } from './deep/helper'\n${answers('text')}`,
      'src/deep/helper.ts':
        "import fs from 'fs'\nimport { join } from 'path'\nexport const text = fs.readFileSync(join(__dirname, 'text.txt'), 'utf8')\n",
      'src/deep/text.txt': 'ok',
    },
  },
  'import equals': {
    files: {
      'src/graph.ts': `import path = require('path')\n${answers("path.basename('/x/ok')")}`,
    },
  },
  'export equals': {
    files: {
      'src/graph.ts': `import helper from './helper'\n${answers('helper.text')}`,
      'src/helper.ts': "const helper = { text: 'ok' as string }\nexport = helper\n",
    },
  },
  'module.exports of JavaScript': {
    files: {
      'src/graph.ts': `import { text } from './helper'\n${answers('text')}`,
      'src/helper.js': "module.exports = { text: 'ok' }\n",
    },
  },
  'require of TypeScript, late': {
    files: {
      'src/graph.ts': answers("require('./helper').text"),
      'src/helper.ts': "export const text: string = 'ok'\n",
    },
  },
  'require and import of JSON': {
    files: {
      'src/graph.ts': `import data from './data.json'\nconst same = require('./data.json')\n${answers("same.text === data.text ? data.text : 'two'")}`,
      'src/data.json': '{ "text": "ok" }',
    },
  },
  'a folder with an index': {
    files: {
      'src/graph.ts': `import { text } from './lib'\n${answers('text')}`,
      'src/lib/index.ts': "export { text } from './text'\n",
      'src/lib/text.ts':
        "import { join } from 'path'\nexport const text = join(__dirname, 'x').endsWith('lib/x') ? 'ok' : __dirname\n",
    },
  },
  'an import of its own folder': {
    files: {
      'src/graph.ts': `import { text } from './lib/a'\n${answers('text')}`,
      'src/lib/a.ts': "export { text } from '.'\n",
      'src/lib/index.ts': "export const text: string = 'ok'\n",
    },
  },
  'a folder with an index, of ES modules': {
    files: {
      ...ESM,
      'src/graph.ts': `import { text } from './lib'\n${answers('text')}`,
      'src/lib/index.ts': "export const text: string = 'ok'\n",
    },
  },
  'classes in a circle': {
    files: {
      'src/graph.ts': `import { A } from './a'\n${answers('new A().go()')}`,
      'src/a.ts':
        "import { B } from './b'\nexport class A { go(): string { return new B().go() } }\n",
      'src/b.ts':
        "import { A } from './a'\nexport class B { a?: A; go(): string { return typeof A === 'function' ? 'ok' : 'no' } }\n",
    },
  },
  'an enum and a namespace': {
    files: {
      'src/graph.ts': `import { Colour, Words } from './colour'\n${answers('Words.say(Colour.Ok)')}`,
      'src/colour.ts':
        "export enum Colour { Ok = 'ok' }\nexport namespace Words { export const say = (colour: Colour) => String(colour) }\n",
    },
  },
  'require.main': {
    files: {
      'src/graph.ts': `${answers("'ok'")}if (require.main === module) throw new Error('no main')\n`,
    },
  },
  'require.resolve of a package': {
    files: {
      'src/graph.ts': answers(
        "require.resolve('@langchain/core/messages').includes('node_modules') ? 'ok' : 'no'",
      ),
    },
  },
  'a default export': {
    files: {
      'src/graph.ts':
        "import text from './helper'\nconst graph = () => text\nexport { graph }\nexport default graph\n",
      'src/helper.ts': "export default 'ok'\n",
    },
  },
  'extensions of what is built': {
    files: {
      ...ESM,
      'src/graph.ts': `import { text } from './helper.js'\n${answers('text')}`,
      'src/helper.ts': "export const text: string = 'ok'\n",
    },
  },
  '.mts and .cts from CommonJS': {
    files: {
      'src/graph.ts': `import { one } from './one.cjs'\n${answers("import('./two.mjs').then(({ two }) => one + two)")}`,
      'src/one.cts': "exports.one = 'o'\n",
      'src/two.mts': "export const two: string = await Promise.resolve('k')\n",
    },
  },
  '.cts, .cjs and CommonJS packages from ES modules': {
    files: {
      ...ESM,
      'src/graph.ts': `import one from './one.cjs'\nimport { two } from './two.cjs'\n${answers('one.one + two')}`,
      'src/one.cts': "exports.one = 'o'\n",
      'src/two.cjs': "exports.two = 'k'\n",
    },
  },
  'a graph of ES modules in a CommonJS package': {
    graph: 'src/graph.mts',
    files: {
      'src/graph.mts': `import { text } from './helper.mjs'\n${answers('text')}`,
      'src/helper.mts': "export const text: string = await Promise.resolve('ok')\n",
    },
  },
  'a graph in CommonJS of an ES package': {
    graph: 'src/graph.cts',
    files: {
      ...ESM,
      'src/graph.cts': `import { basename } from 'path'\n${answers("basename(__filename) === 'graph.cts' ? 'ok' : 'no'")}`,
    },
  },
  'JavaScript with the syntax of ES modules': {
    files: {
      'src/graph.ts': `import { text } from './helper'\n${answers('text')}`,
      'src/helper.js': "export const text = 'ok'\n",
    },
  },
  'import.meta in CommonJS': {
    files: {
      'src/graph.ts': `import { fileURLToPath } from 'url'\n${answers("fileURLToPath(import.meta.url) === __filename ? 'ok' : 'no'")}`,
    },
  },
  'import.meta and top-level await': {
    files: {
      ...ESM,
      'src/graph.ts': `
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
const __dirname = dirname(fileURLToPath(import.meta.url))
const text = await readFile(new URL('./text.txt', import.meta.url), 'utf8')
const same = await readFile(join(import.meta.dirname, 'text.txt'), 'utf8')
${answers("__dirname === import.meta.dirname && import.meta.filename === join(__dirname, 'graph.ts') && same === text ? text : 'no'")}`,
      'src/text.txt': 'ok',
    },
  },
  'createRequire in an ES module': {
    files: {
      ...ESM,
      'src/graph.ts': `import { createRequire } from 'node:module'\nconst data = createRequire(import.meta.url)('./data.json')\n${answers('data.text')}`,
      'src/data.json': '{ "text": "ok" }',
    },
  },
  'an alias of a file and of a folder': {
    files: {
      'tsconfig.json': aliases({ '@/*': ['./src/*'], lib: ['./src/lib'] }),
      'src/graph.ts': `import { one } from '@/one'\nimport { two } from '@/two'\nimport { three } from 'lib'\n${answers('one + two + three')}`,
      'src/one.ts':
        "const { two } = require('@/two')\nexport const one = two === 'k' ? 'o' : two\n",
      'src/two/index.ts': "export const two: string = 'k'\n",
      'src/lib/index.ts': "export const three: string = ''\n",
    },
  },
  'an alias of ES modules, with an extension': {
    files: {
      ...ESM,
      'tsconfig.json': aliases({ '@/*': ['./src/*'] }),
      'src/graph.ts': `import { one } from '@/one.js'\n${answers("import('@/two').then(({ two }) => one + two)")}`,
      'src/one.ts': "export const one: string = 'o'\n",
      'src/two/index.ts': "export const two: string = 'k'\n",
    },
  },
  'an alias by way of extends and baseUrl': {
    files: {
      'tsconfig.json': '{ "extends": "./config/base.json" }',
      'config/base.json': JSON.stringify({ compilerOptions: { baseUrl: '../src' } }),
      'src/graph.ts': `import { text } from 'words/text'\n${answers('text')}`,
      'src/words/text.ts': "export const text: string = 'ok'\n",
    },
  },
  'a project whose packages have a tsconfig.json each': {
    graph: 'apps/agent/graph.ts',
    isBeyondTsx: true,
    files: {
      'tsconfig.json': aliases({ '@/*': ['./nowhere/*'] }),
      'apps/agent/tsconfig.json': aliases({ '@/*': ['./src/*'] }),
      'apps/agent/graph.ts': `import { text } from '@/text'\n${answers('text')}`,
      'apps/agent/src/text.ts':
        "import { word } from '../../../shared/word'\nexport const text = word\n",
      'shared/tsconfig.json': aliases({ '@/*': ['./own/*'] }),
      'shared/word.ts': "export { word } from '@/word'\n",
      'shared/own/word.ts': "export const word: string = 'ok'\n",
    },
  },
  'decorators of TypeScript': {
    files: {
      'tsconfig.json': aliases({}, { experimentalDecorators: true, target: 'ES2020' }),
      'src/graph.ts': `import { Word } from './word'\n${answers('new Word().say("k")')}`,
      'src/word.ts': `
const seen: string[] = []
function note(_target: object, name: string, _index: number) { seen.push(name) }
export class Word { say(@note text: string) { return seen[0] === 'say' ? 'o' + text : 'unseen' } }
`,
    },
  },
  'decorators of TypeScript, in ES modules': {
    files: {
      ...ESM,
      'tsconfig.json': aliases({}, { experimentalDecorators: true, target: 'ES2020' }),
      'src/graph.ts': `
const seen: string[] = []
function note(_target: object, name: string, _index: number) { seen.push(name) }
class Word { say(@note text: string) { return seen[0] === 'say' ? 'o' + text : 'unseen' } }
${answers('new Word().say("k")')}`,
    },
  },
  'an import of what is known when it runs': {
    unbundled: 'an import() of what is not written there',
    files: {
      'src/graph.ts': answers("import(['.', 'text'].join('/')).then((text) => text.text)"),
      'src/text.ts': "export const text: string = 'ok'\n",
    },
  },
  'a require of what is known when it runs': {
    unbundled: 'a require() of what is not written there',
    files: {
      'src/graph.ts': answers("require(['.', 'text'].join('/')).text"),
      'src/text.ts': "export const text: string = 'ok'\n",
    },
  },
  'require.resolve of a file of its own': {
    unbundled: 'its own place',
    files: {
      'src/graph.ts': answers("require.resolve('./text').endsWith('text.ts') ? 'ok' : 'no'"),
      'src/text.ts': '',
    },
  },
}
