/**
 * What the embeddings of a project must do behind every graph host. The project counts `a` and `b`; with
 * the text `broken` it throws, with `short` it answers one number.
 */
import { describe, expect, it } from 'vitest'
import type { Embed } from '../../../src/core/agent/host/calls.ts'

export function testEmbeddings(open: () => Embed): void {
  describe('the embeddings of a project', () => {
    it('answer a vector for each text', async () => {
      expect(await open()(['aab', 'b'])).toEqual([
        [2, 1],
        [0, 1],
      ])
    })

    it('say whose fault it is that there are none', async () => {
      const failed = expect.objectContaining({
        code: 'unavailable',
        message: expect.stringContaining('the model is away'),
      })
      await expect(open()(['broken'])).rejects.toEqual(failed)
      await expect(open()(['short'])).rejects.toMatchObject({ code: 'bad_request' })
    })
  })
}
