import { expect, it } from 'vitest'
import { readBuildJobEnd } from './job.ts'

const made = {
  node_version: '22.1.0',
  config_path: 'agent/langgraph.json',
  bundle: null,
  python: '.venv',
}
const built = { kind: 'built', made, digest: 'a'.repeat(64), bytes: 5 }

it('reads how a Job has ended', () => {
  expect(readBuildJobEnd(JSON.stringify(built))).toEqual(built)
  const failed = { kind: 'failed', step: 'install', message: 'It ended with exit code 3.' }
  expect(readBuildJobEnd(JSON.stringify(failed))).toEqual(failed)
})

it.each([
  ['nothing', ''],
  ['something cut off', JSON.stringify(built).slice(0, -5)],
  ['no digest', { ...built, digest: 'latest' }],
  ['no size', { ...built, bytes: 'many' }],
  ['a way out of the folder', { ...built, made: { ...made, config_path: '../langgraph.json' } }],
  ['a way out of it in the middle', { ...built, made: { ...made, bundle: 'a/../../b.js' } }],
  ['an absolute path', { ...built, made: { ...made, python: '/usr' } }],
  ['a version that is a path', { ...built, made: { ...made, node_version: '../../..' } }],
  ['no configuration', { ...built, made: { ...made, config_path: null } }],
])('does not believe %s', (_what, said) => {
  expect(readBuildJobEnd(typeof said === 'string' ? said : JSON.stringify(said))).toBeUndefined()
})
