import { expect, test } from 'vitest'
import { pathOf, pathText, treeOf } from './namespaces.ts'

test('namespaces make a tree, sorted on each level', () => {
  const tree = treeOf([['users', 'bob'], ['facts'], ['users', 'ann', 'notes'], ['users', 'ann']])
  expect(tree).toEqual([
    { label: 'facts', path: ['facts'], branches: [] },
    {
      label: 'users',
      path: ['users'],
      branches: [
        {
          label: 'ann',
          path: ['users', 'ann'],
          branches: [{ label: 'notes', path: ['users', 'ann', 'notes'], branches: [] }],
        },
        { label: 'bob', path: ['users', 'bob'], branches: [] },
      ],
    },
  ])
})

test('a path is written with periods', () => {
  expect(pathText(['users', 'ann'])).toBe('users.ann')
  expect(pathOf('users.ann')).toEqual(['users', 'ann'])
  expect(pathOf(undefined)).toEqual([])
})
