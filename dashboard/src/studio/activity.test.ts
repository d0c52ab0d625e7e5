import { expect, test } from 'vitest'
import { activityOf, NO_ACTIVITY, withTask } from './activity.ts'

/** Begins and ends the tasks of a run: `+a` begins, `-a` ends; `x/a` is the node a within x. */
function played(...events: string[]) {
  let activity = NO_ACTIVITY
  for (const event of events) {
    const names = event.slice(1).split('/')
    const name = names.at(-1) ?? ''
    const namespace = names.slice(0, -1).map((one) => `${one}:id`)
    const result = event.startsWith('-') ? { result: {} } : {}
    activity = withTask(activity, { id: event.slice(1), name, ...result }, namespace)
  }
  return activity
}

test('nodes after each other take the edge between them', () => {
  const { edges, tasks } = played('+a', '-a', '+b')
  expect([...edges]).toEqual(['__start__→a', 'a→b'])
  expect(tasks.map(({ isRunning }) => isRunning)).toEqual([false, true])
})

test('nodes beside each other come from the same, and lead to the same', () => {
  const { edges } = played('+a', '-a', '+b', '+c', '-b', '-c', '+d')
  expect([...edges]).toEqual(['__start__→a', 'a→b', 'a→c', 'b→d', 'c→d'])
})

test('a graph within the graph has edges of its own', () => {
  const { edges } = played('+a', '+a/x', '-a/x', '+a/y', '-a/y', '-a', '+b')
  expect([...edges]).toEqual(['__start__→a', 'a:__start__→a:x', 'a:x→a:y', 'a→b'])
})

test('the kept steps of the last run tell the same', () => {
  const state = (id: string, parent: string | undefined, source: string, ...names: string[]) => ({
    checkpoint: { checkpoint_id: id, checkpoint_ns: '', thread_id: 't', checkpoint_map: null },
    parent_checkpoint: parent
      ? { checkpoint_id: parent, checkpoint_ns: '', thread_id: 't', checkpoint_map: null }
      : null,
    metadata: { source } as never,
    created_at: null,
    tasks: names.map((name) => ({
      id: `${id}${name}`,
      name,
      error: null,
      interrupts: [],
      checkpoint: null,
      state: null,
      result: {},
    })),
  })
  const history = [
    state('5', '4', 'loop'),
    state('4', '3', 'loop', 'b'),
    state('3', '2', 'loop', 'a'),
    state('2', '1', 'input', '__start__'),
    state('1', '0', 'loop', 'old'),
  ]
  const { tasks, edges } = activityOf(history)
  expect(tasks.map(({ name, readAt }) => [name, readAt])).toEqual([
    ['a', '3'],
    ['b', '4'],
  ])
  expect([...edges]).toEqual(['__start__→a', 'a→b'])
  expect(activityOf(history, '3').tasks.map(({ name }) => name)).toEqual(['a'])
})
