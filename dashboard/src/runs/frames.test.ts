import { expect, test } from 'vitest'
import { framesOf } from './frames.ts'

test('frames of JavaScript', () => {
  const stack = [
    'RangeError: failed',
    '    at fail (/app/src/graph.ts:10:3)',
    '    at RunnableCallable.invoke (/app/node_modules/@langchain/langgraph/dist/utils.js:37:1)',
    '    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
  ].join('\n')
  expect(framesOf(stack)).toEqual([
    { text: 'at fail (/app/src/graph.ts:10:3)', isOwn: true },
    { text: expect.stringContaining('RunnableCallable'), isOwn: false },
    { text: expect.stringContaining('node:internal'), isOwn: false },
  ])
})

test('frames of Python, the last call first', () => {
  const stack = [
    'Traceback (most recent call last):',
    '  File "/v/lib/python3.11/site-packages/langgraph/pregel/_runner.py", line 10, in run',
    '    step()',
    '  File "/app/graphs.py", line 4, in fail',
    '    raise RangeError("failed")',
    'graphs.RangeError: failed',
  ].join('\n')
  expect(framesOf(stack)).toEqual([
    { text: 'File "/app/graphs.py", line 4, in fail\n  raise RangeError("failed")', isOwn: true },
    { text: expect.stringContaining('site-packages'), isOwn: false },
  ])
})
