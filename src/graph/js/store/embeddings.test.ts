import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { loadEmbeddings } from './embeddings.ts'

const root = temporaryFolder()
beforeAll(async () => {
  await writeFile(
    join(root, 'embed.mjs'),
    `export const list = async (texts) => texts.map((text) => [text.length, 1])
     export const typed = async (texts) => texts.map(() => Float32Array.of(1, 2))
     export const langchain = { embedDocuments: list, embedQuery: async () => [0, 0] }
     export const promised = Promise.resolve(langchain)
     export const fewer = async () => []
     export const words = async (texts) => texts.map(() => ['a', 'b'])
     export const nothing = 5`,
  )
  await writeFile(join(root, 'broken.mjs'), `throw new Error('no model')`)
})

const load = (embed: string) =>
  loadEmbeddings({ root, border: root, file: join(root, 'embed.mjs') }, { embed, dims: 2 })

test.each([
  ['list', [3, 1]],
  ['typed', [1, 2]],
  ['langchain', [3, 1]],
  ['promised', [3, 1]],
])('the export %s embeds', async (name, vector) => {
  const embed = await load(`./embed.mjs:${name}`)
  expect(await embed(['abc'])).toEqual([vector])
})

test.each([
  ['./missing.mjs:embed', /there is no file "\.\/missing\.mjs"/],
  ['../outside.mjs:embed', /leads out of what is deployed/],
  ['./broken.mjs:embed', /could not be loaded: Error: no model/],
  ['./embed.mjs:nothing', /is neither\. Export a function/],
  ['./embed.mjs:missing', /is neither\. Export a function/],
  ['openai:text-embedding-3-small', /needs the package @langchain\/openai.*add it/],
  ['unheard:of', /is not known; write .* with one of openai,/],
  ['./embed.py:embed', /is not known/],
  ['nothing', /is not known/],
])('%s is refused with what to do', async (embed, message) => {
  await expect(load(embed)).rejects.toThrow(message)
})

test.each(['fewer', 'words'])('the export %s is found out when it embeds', async (name) => {
  const embed = await load(`./embed.mjs:${name}`)
  await expect(embed(['a'])).rejects.toMatchObject({ code: 'bad_request' })
})
