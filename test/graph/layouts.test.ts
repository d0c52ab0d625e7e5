/** A project's modules, however they are laid out, are loaded as tsx loads them: from their files, and out of a bundle. */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { bundleProject } from '../../src/graph/js/bundle/write.ts'
import { readProjectConfig } from '../../src/project/config.ts'
import { writeFiles } from '../support/hosts/bundled-project.ts'
import { LAYOUTS, type Layout } from '../support/hosts/layouts.ts'
import { run } from '../support/processes/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const MODULES = resolve(import.meta.dirname, '../../node_modules')
const LOAD = resolve(import.meta.dirname, '../support/hosts/load-layouts.ts')
const names = Object.keys(LAYOUTS)
const bundled = names.filter((name) => !LAYOUTS[name]?.unbundled)
/** What a `tsconfig.json` says of syntax holds for a whole process: these have one each. */
const alone = names.filter((name) => name.startsWith('decorators'))

const root = temporaryFolder()
const fileOf = (name: string) =>
  join(`${names.indexOf(name)}`, LAYOUTS[name]?.graph ?? 'src/graph.ts')

beforeAll(async () => {
  await mkdir(join(root, 'node_modules'))
  await symlink(join(MODULES, '@langchain'), join(root, 'node_modules/@langchain'))
  for (const [index, { files }] of Object.values<Layout>(LAYOUTS).entries()) {
    await writeFiles(join(root, `${index}`), { 'package.json': '{}', ...files })
  }
})

/** A `langgraph.json` with the graphs of these layouts. */
async function configOf(layouts: string[]): Promise<string> {
  const path = join(root, 'langgraph.json')
  const graphs = layouts.map((name) => [name, `./${fileOf(name)}:graph`])
  await writeFile(path, JSON.stringify({ graphs: Object.fromEntries(graphs) }))
  return path
}

async function load(way: string, layouts: string[]): Promise<unknown> {
  return JSON.parse(
    await run(process.execPath, [LOAD, way, await configOf(layouts)], { cwd: root }),
  )
}

const well = (layouts: string[]) => Object.fromEntries(layouts.map((name) => [name, 'ok']))

describe('a project is loaded', { timeout: 400_000 }, () => {
  it('from its files', async () => {
    const together = names.filter((name) => !alone.includes(name))
    expect(await load('sources', together)).toEqual(well(together))
    for (const name of alone) expect(await load('sources', [name])).toEqual(well([name]))
  })

  it('out of a bundle', async () => {
    expect(await bundleProject(await readProjectConfig(await configOf(bundled)))).toMatchObject({
      external: [],
    })
    expect(await load('bundle', bundled)).toEqual(well(bundled))
  })

  it.each(names.filter((name) => LAYOUTS[name]?.unbundled))(
    'without a bundle: %s',
    async (name) => {
      const made = await bundleProject(await readProjectConfig(await configOf([name])))
      expect(made).toEqual({ reason: expect.stringContaining(LAYOUTS[name]?.unbundled ?? '-') })
    },
  )

  it('as tsx loads it', async () => {
    const program = join(root, 'load.mjs')
    await writeFile(program, LOAD_WITH_TSX)
    const known = names.filter((name) => !LAYOUTS[name]?.isBeyondTsx)
    const configured = known.filter((name) => LAYOUTS[name]?.files['tsconfig.json'])
    const rest = known.filter((name) => !configured.includes(name))
    for (const group of [rest, ...configured.map((name) => [name])]) {
      const cwd = join(root, group === rest ? '' : `${names.indexOf(group[0] ?? '')}`)
      const args = [program, ...group.map((name) => join(root, fileOf(name)))]
      const printed = await run(join(MODULES, '.bin/tsx'), args, { cwd })
      expect(JSON.parse(printed)).toEqual(group.map(() => 'ok'))
    }
  })
})

describe('the tsconfig.json that was read is named', () => {
  const broken = (tsconfig: string) => ({
    'package.json': '{}',
    'tsconfig.json': '{}',
    'broken/tsconfig.json': tsconfig,
    'broken/graph.ts': "export { graph } from '@/text'\n",
    'langgraph.json': '{ "graphs": { "g": "./broken/graph.ts:graph" } }',
  })

  it.each([
    ['for an alias that it has not', '{}'],
    ['when it extends what is not there', '{ "extends": "./nowhere.json" }'],
  ])('%s', async (_what, tsconfig) => {
    const folder = join(root, 'broken-project')
    await writeFiles(folder, broken(tsconfig))
    const loading = run(process.execPath, [LOAD, 'sources', join(folder, 'langgraph.json')])
    const said = await loading.catch((error: Error) => error.message)
    expect(said).toContain(join(folder, 'broken/tsconfig.json'))
  })
})

const LOAD_WITH_TSX = `
import { pathToFileURL } from 'node:url'
const answers = []
for (const file of process.argv.slice(2)) {
  try {
    const exports = await import(pathToFileURL(file).href)
    answers.push(await (exports.graph ?? exports.default.graph)())
  } catch (error) {
    answers.push(String(error))
  }
}
console.log(JSON.stringify(answers))
`
