/**
 * What every graph host must say of its graphs. The project has `outer`, whose node `inner` is a graph with
 * the nodes `shout` and `echo`, both with the key `text`; and `made`, a factory of the same, which throws a RangeError
 * where `configurable` has `is_refused`.
 */
import { describe, expect, it } from 'vitest'
import type { GraphDescriptions } from '../../../src/core/agent/host/description.ts'
import type { GraphConfig, GraphHost } from '../../../src/core/agent/host/graph-host.ts'

/** The part of a host that knows which graphs there are. */
export interface Catalog extends Pick<GraphHost, 'graphs'> {
  open(graph_id: string, config: GraphConfig): Promise<GraphDescriptions>
}

export function testCatalog(open: () => Catalog): void {
  const openGraph = (graph_id = 'outer', configurable = {}) =>
    open().open(graph_id, { configurable })

  describe('the graphs of a project', () => {
    it('are listed in their order, with what is known without opening them', () => {
      expect([...open().graphs]).toEqual([
        [
          'outer',
          {
            graph_id: 'outer',
            description: 'Has a graph within it.',
            hasFactory: false,
            contextKeys: new Set(['tone']),
            config: { tags: ['from-the-project'] },
            context: { tone: 'kind' },
          },
        ],
        ['made', { graph_id: 'made', description: null, hasFactory: true, contextKeys: undefined }],
      ])
    })

    it('are opened by their names, with what a factory throws', async () => {
      const nodes = async (graph_id: string) => (await (await openGraph(graph_id)).names()).nodes
      expect(await nodes('made')).toEqual(await nodes('outer'))
      await expect(openGraph('none')).rejects.toMatchObject({ code: 'not_found' })
      const refused = openGraph('made', { is_refused: true })
      await expect(refused).rejects.toMatchObject({ name: 'RangeError' })
    })

    it('name what they consist of', async () => {
      const { nodes, channels = [], values, input } = await (await openGraph()).names()
      expect(nodes).toContain('inner')
      expect(channels).toContain('text')
      expect({ values, input }).toEqual({ values: ['text'], input: ['text'] })
    })

    it('have schemas, and so have their subgraphs', async () => {
      const { graph, subgraphs } = await (await openGraph()).schemas()
      const text = { properties: { text: { type: 'string' } } }
      const tone = { properties: { tone: { type: 'string' } } }
      expect(graph).toMatchObject({
        state_schema: text,
        input_schema: text,
        output_schema: text,
        config_schema: tone,
        context_schema: tone,
      })
      expect(Object.keys(subgraphs)).toEqual(['inner'])
      expect(subgraphs).toMatchObject({ inner: { state_schema: text } })
    })

    it('are drawn as deep as asked', async () => {
      const graph = await openGraph()
      const { nodes, edges } = await graph.draw(false)
      expect(nodes.map(({ id }) => id)).toEqual(['__start__', 'inner', '__end__'])
      expect(edges).toMatchObject([
        { source: '__start__', target: 'inner' },
        { source: 'inner', target: '__end__' },
      ])
      for (const xray of [true, 1]) {
        const deep = await graph.draw(xray)
        expect(deep.nodes.map(({ id }) => id)).toContain('inner:shout')
      }
    })
  })
}
