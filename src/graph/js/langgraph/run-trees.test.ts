import { AsyncLocalStorage } from 'node:async_hooks'
import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import { CallbackManager } from '@langchain/core/callbacks/manager'
import { getContextVariable, setContextVariable } from '@langchain/core/context'
import { AsyncLocalStorageProviderSingleton as langchain } from '@langchain/core/singletons'
import { describe, expect, it } from 'vitest'
import { type ConfigStorage, makeLateIn } from './run-trees.ts'

const built = langchain as ConfigStorage

/** LangChain's own with late trees, which leaves the one that everybody uses as it is. */
function withLateTrees(of: ConfigStorage = built): ConfigStorage & typeof langchain {
  const storage = Object.create(of)
  makeLateIn(storage)
  return storage
}

interface Tree {
  id: string
  trace_id: string
  dotted_order: string
  name: string
  extra: { metadata: object }
  tags?: string[]
  tracingEnabled: boolean
  createChild(config: { name: string }): Tree & { parent_run: Tree }
  postRun(): Promise<void>
}

const stored = () => built.getInstance().getStore() as Tree

/** Counts the trees that are made: each asks for LangSmith's default config once. */
function countTrees(): { count: number; stop(): void } {
  const tree = built.runWithConfig({}, stored)
  const RunTree = tree.constructor as unknown as { getDefaultConfig(): object }
  const { getDefaultConfig: own } = RunTree
  const stop = () => {
    RunTree.getDefaultConfig = own
  }
  const counted = { count: 0, stop }
  RunTree.getDefaultConfig = () => {
    counted.count += 1
    return own()
  }
  return counted
}

describe('the tree of a call that nobody traces', () => {
  const storage = withLateTrees()

  it('is not made for those who ask for the config, or whether it is traced', async () => {
    storage.runWithConfig({}, () => undefined)
    const trees = countTrees()
    const config = { tags: ['one'], configurable: { thread_id: 't' } }
    const seen = await storage.runWithConfig(config, async () => {
      await new Promise((resolve) => setImmediate(resolve))
      const inner = storage.runWithConfig({ tags: ['two'] }, () => storage.getRunnableConfig())
      return [inner, storage.getRunnableConfig(), stored().tracingEnabled]
    })
    trees.stop()
    expect(seen).toEqual([{ tags: ['two'] }, config, false])
    expect(trees.count).toBe(0)
  })

  it('is what it would have been, and stays the same', () => {
    const config = { tags: ['one'] }
    const plain = built.runWithConfig(config, stored)
    const tree = storage.runWithConfig(config, stored)
    expect(tree).toBeInstanceOf(plain.constructor)
    expect(Object.keys(tree)).toEqual(Object.keys(plain))
    expect(Reflect.ownKeys(tree.extra)).toEqual(Reflect.ownKeys(plain.extra))
    const varying = { id: '', trace_id: '', dotted_order: '', start_time: 0 }
    const _serialized_start_time = ''
    expect({ ...tree, ...varying, _serialized_start_time }).toEqual({
      ...plain,
      ...varying,
      _serialized_start_time,
    })
    expect(tree.id).toBe(tree.id)
    expect(tree.trace_id).toBe(tree.id)
    expect('tags' in tree).toBe('tags' in plain)
    expect('nothing' in tree).toBe(false)
  })

  it('can be changed, copied and be a parent', () => {
    const tree = storage.runWithConfig({}, stored)
    tree.extra.metadata = { key: 'value' }
    tree.tags = ['mine']
    const RunTree = tree.constructor as new (tree: Tree) => Tree
    const copy = new RunTree(tree)
    expect(copy).toMatchObject({ id: tree.id, tags: ['mine'] })
    expect(copy.extra.metadata).toEqual({ key: 'value' })
    const child = tree.createChild({ name: 'child' })
    expect(child).toMatchObject({ trace_id: tree.id, tracingEnabled: false })
    expect(child.parent_run.id).toBe(tree.id)
    Reflect.deleteProperty(tree, 'tags')
    expect(Object.keys(tree)).not.toContain('tags')
  })

  it('hands on the variables of the context', () => {
    const seen = storage.runWithConfig({}, () => {
      setContextVariable('name', 'outer')
      const inner = storage.runWithConfig({ tags: ['inner'] }, () => {
        const before = [getContextVariable('name'), storage.getRunnableConfig()?.tags]
        setContextVariable('name', 'inner')
        return [...before, getContextVariable('name'), storage.getRunnableConfig()?.tags]
      })
      return [inner, getContextVariable('name')]
    })
    expect(seen).toEqual([['outer', ['inner'], 'inner', ['inner']], 'outer'])
  })

  it('answers and throws as the work does', async () => {
    expect(storage.runWithConfig({}, () => 1)).toBe(1)
    const fail = () => {
      throw new Error('failed')
    }
    expect(() => storage.runWithConfig({}, fail)).toThrow('failed')
    await expect(storage.runWithConfig({}, async () => fail())).rejects.toThrow('failed')
    expect(stored()).toBeUndefined()
  })
})

describe('a tree that is made at once', () => {
  it('is that of a tracer', () => {
    const storage = withLateTrees()
    const tree = { extra: { metadata: { of: 'tracer' } }, tracingEnabled: true }
    class Tracer extends BaseCallbackHandler {
      name = 'langchain_tracer'
      getRunTreeWithTracingConfig = () => tree
    }
    const callbacks = new CallbackManager('run')
    callbacks.addHandler(new Tracer())
    const config = { callbacks }
    const seen = storage.runWithConfig(config, () => [stored(), storage.getRunnableConfig()])
    expect(seen).toEqual([tree, config])
    expect(tree.extra).toMatchObject({ metadata: { of: 'tracer' } })
  })

  it('is none where LangChain itself is told to make none', () => {
    expect(withLateTrees().runWithConfig({}, stored, true)).toBeUndefined()
  })

  it('is one of another form than the one that is known', () => {
    const trees = new AsyncLocalStorage<unknown>()
    const other: ConfigStorage = {
      getInstance: () => trees as never,
      runWithConfig: (config, work) => trees.run({ config, extra: {} }, work) as never,
    }
    makeLateIn(other)
    expect(other.runWithConfig('config', () => trees.getStore())).toEqual({
      config: 'config',
      extra: {},
    })
  })
})
