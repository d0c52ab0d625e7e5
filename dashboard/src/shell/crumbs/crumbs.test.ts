import { expect, test } from 'vitest'
import { crumbsOf } from './crumbs.ts'

const shown = (path: string) => crumbsOf(path).map(({ name, to }) => [name.kind, to])

test('the start is Home', () => {
  expect(crumbsOf('/')).toEqual([{ key: '/', name: { kind: 'words', words: 'Home' } }])
})

test('a deployment and a revision are told by their names', () => {
  expect(shown('/deployments/d1/revisions/r1')).toEqual([
    ['words', '/deployments'],
    ['deployment', '/deployments/d1'],
    ['words', '/deployments/d1/revisions'],
    ['revision', '/deployments/d1/revisions/r1'],
  ])
  expect(crumbsOf('/deployments/new').at(-1)?.name).toEqual({ kind: 'words', words: 'New' })
})

test('a step without a page leads nowhere', () => {
  expect(shown('/deployments/d1/threads/t1/runs/r1').map(([, to]) => to)).toEqual([
    '/deployments',
    '/deployments/d1',
    '/deployments/d1/threads',
    '/deployments/d1/threads/t1',
    undefined,
    '/deployments/d1/threads/t1/runs/r1',
  ])
  expect(crumbsOf('/studio/agent')).toEqual([
    { key: '/studio', name: { kind: 'words', words: 'Studio' } },
    {
      key: '/studio/agent',
      name: { kind: 'assistant', id: 'agent', deployment: undefined },
      to: '/studio/agent',
    },
  ])
})
