import { getLogger } from '@langchain/langgraph-sdk/logging'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { silentLog } from '../../../core/log.ts'
import { installSdkLogger, nameNodesBy } from './sdk-logger.ts'

let lines: [level: string, fields: object, message: string][]

beforeEach(() => {
  lines = []
  const note = (level: string) => (all: object, message: string) => {
    const { said_by, ...fields } = all as { said_by?: string }
    expect(said_by).toBe('project')
    lines.push([level, fields, message])
  }
  installSdkLogger({
    ...silentLog,
    debug: note('debug'),
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
  })
})
afterEach(() => nameNodesBy({}))

it('has each level of the SDK, and hands itself on', () => {
  const all = 'error warn help data info http verbose debug prompt input silly'.split(' ')
  for (const level of all as ('info' | 'silly')[]) getLogger()[level]('a')[level]('b')
  expect(lines.map(([level]) => level)).toEqual(
    'error warn info info info debug debug debug debug debug debug'
      .split(' ')
      .flatMap((level) => [level, level]),
  )
})

it('takes the fields from objects, errors as such, and whatever else is said', () => {
  const failure = new Error('no')
  getLogger().info('read', { rows: 3 }, { took: 5 }, 'twice', 2)
  getLogger().info({ message: 'read', rows: 3 })
  getLogger().info({ rows: 3 })
  getLogger().error(failure)
  getLogger().error('it broke', failure)
  getLogger().info(['a', 1])
  expect(lines.map(([, fields, message]) => [message, fields])).toEqual([
    ['read', { rows: 3, took: 5, args: ['twice', 2] }],
    ['read', { rows: 3 }],
    ['the graph has logged an object', { rows: 3 }],
    ['no', { err: failure }],
    ['it broke', { err: failure }],
    ["[ 'a', 1 ]", {}],
  ])
})

it('keeps fields apart from the members that the line has itself', () => {
  getLogger().info('sold', { level: 'low', time: 'noon', pid: 1, msg: 'm', price: 2 })
  expect(lines).toEqual([
    ['info', { level_: 'low', time_: 'noon', pid_: 1, msg_: 'm', price: 2 }, 'sold'],
  ])
})

it('names the node where there is one', () => {
  nameNodesBy({ getConfig: () => ({ metadata: { langgraph_node: 'work' } }) })
  getLogger().info('a')
  nameNodesBy({
    getConfig: () => {
      throw new Error('Called outside of a graph.')
    },
  })
  getLogger().info('b')
  expect(lines.map(([, fields]) => fields)).toEqual([{ langgraph_node: 'work' }, {}])
})
