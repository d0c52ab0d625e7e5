import { expect, it } from 'vitest'
import { whyRefused } from './unpack.ts'

it.each([
  ['langgraph.json', 'File'],
  ['./src/agent.ts', 'File'],
  ['src/..hidden/a', 'File'],
  ['src', 'Directory'],
])('takes the entry %s', (path, type) => {
  expect(whyRefused({ path, type })).toBeUndefined()
})

it.each(['../a', 'src/../../a', 'src/..', '/etc/passwd', ''])('refuses the name %j', (path) => {
  expect(whyRefused({ path, type: 'File' })).toContain(JSON.stringify(path))
})

it.each(['CharacterDevice', 'BlockDevice', 'FIFO', 'SparseFile'])('refuses a %s', (type) => {
  expect(whyRefused({ path: 'odd', type })).toContain(type)
})

it.each([
  ['node_modules/.bin/tsc', '../typescript/bin/tsc'],
  ['a/b/c', '../..'],
  ['a', 'b/./c'],
  ['a', '.'],
])('takes the symbolic link %s to %s', (path, linkpath) => {
  expect(whyRefused({ path, linkpath, type: 'SymbolicLink' })).toBeUndefined()
})

it.each([
  ['a', '..'],
  ['a', '../b'],
  ['a/b', '../../c'],
  ['a', '/etc/passwd'],
  ['a', ''],
  // Harmless by its letters, but `d/up` may itself be a link upwards.
  ['a', 'd/up/..'],
])('refuses the symbolic link %s to %s', (path, linkpath) => {
  expect(whyRefused({ path, linkpath, type: 'SymbolicLink' })).toContain('leads out')
})

it.each(['../a', '/etc/passwd', 'a/../../b', ''])('refuses a hard link to %j', (linkpath) => {
  expect(whyRefused({ path: 'a', linkpath, type: 'Link' })).toContain('leads out')
  expect(whyRefused({ path: 'a', linkpath: 'b/c', type: 'Link' })).toBeUndefined()
})
