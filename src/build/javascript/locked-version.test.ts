import { expect, it } from 'vitest'
import { checkLockedLangGraph } from './locked-version.ts'

const npm = (...versions: [string, string][]) =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: Object.fromEntries([
      ['', { name: 'agent' }],
      ['node_modules/@langchain/langgraph-checkpoint', { version: '0.0.1' }],
      ...versions.map(([path, version]) => [path, { version }]),
    ]),
  })

const OLD: [string, 'npm' | 'pnpm' | 'yarn' | 'bun', string][] = [
  ['package-lock.json', 'npm', npm(['node_modules/@langchain/langgraph', '0.2.11'])],
  ['npm-shrinkwrap.json', 'npm', '{"dependencies":{"@langchain/langgraph":{"version":"0.2.11"}}}'],
  [
    'pnpm-lock.yaml',
    'pnpm',
    "packages:\n\n  '@langchain/langgraph@0.2.11(@langchain/core@0.3.1)':\n    engines: {}\n",
  ],
  [
    'pnpm-lock.yaml',
    'pnpm',
    'packages:\n\n  /@langchain/langgraph@0.2.11(@langchain/core@0.3.1):\n',
  ],
  ['pnpm-lock.yaml', 'pnpm', 'packages:\n\n  /@langchain/langgraph/0.2.11_abc:\n'],
  [
    'yarn.lock',
    'yarn',
    '"@langchain/langgraph@^0.2.0", "@langchain/langgraph@^0.2.3":\n  version "0.2.11"\n',
  ],
  ['yarn.lock', 'yarn', '"@langchain/langgraph@npm:^0.2.0":\n  version: 0.2.11\n'],
  [
    'bun.lock',
    'bun',
    '{ "packages": { "@langchain/langgraph": ["@langchain/langgraph@0.2.11", "", {}, "sha512-x"] } }',
  ],
]

it.each(OLD)(
  'refuses what is too old in %s of %s, with the command that mends it',
  (name, manager, text) => {
    const add = { npm: 'npm install', pnpm: 'pnpm add', yarn: 'yarn add', bun: 'bun add' }[manager]
    expect(() => checkLockedLangGraph({ name, manager, text })).toThrow(
      `The project has @langchain/langgraph 0.2.11 (${name}), and Runyard needs 0.2.57 or newer: ` +
        `run \`${add} @langchain/langgraph@0.4 @langchain/core@0.3\`.`,
    )
    checkLockedLangGraph({ name, manager, text: text.replaceAll('0.2.11', '0.2.57') })
  },
)

it.each([
  ['no LangGraph', npm()],
  [
    'a member of the workspace that has a newer one',
    npm(
      ['node_modules/@langchain/langgraph', '0.2.11'],
      ['apps/a/node_modules/@langchain/langgraph', '1.4.0'],
    ),
  ],
  ['no JSON', '<<<<<<< HEAD'],
])('leaves a lock file with %s to the package manager', (_, text) => {
  checkLockedLangGraph({ name: 'package-lock.json', manager: 'npm', text })
})
