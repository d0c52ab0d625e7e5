import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { installHooks } from './hooks.ts'
import { importFor } from './loader.ts'

/** Far from here, so that nothing is found by way of the present folder. */
const root = temporaryFolder()

beforeAll(async () => {
  for (const name of ['plain', '@scope/named']) {
    const folder = join(root, 'node_modules', name)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name, main: 'index.cjs' }))
    await writeFile(join(folder, 'index.cjs'), `exports.name = '${name}'\n`)
  }
  await writeFile(join(root, "it's a graph.mjs"), '')
  await installHooks(join(root, "it's a graph.mjs"))
})

test.each(['plain', '@scope/named', 'plain/index.cjs'])(
  'a file’s package %s is looked for from its own folder',
  async (name) => {
    const found = await importFor(join(root, "it's a graph.mjs"), name)
    expect(found).toMatchObject({ default: { name: name.replace('/index.cjs', '') } })
  },
)
