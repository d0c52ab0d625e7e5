import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { runNow } from '../../../../test/support/processes/program.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { AppError } from '../../../core/errors.ts'
import { checkLangGraph, checkProjectPackages } from './langgraph-package.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = temporaryFolder()
  file = join(folder, 'src/graph.ts')
  await write('src/graph.ts', 'export const graph = {}')
})

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

const install = (name: string, version: string, at = 'node_modules') =>
  write(`${at}/${name}/package.json`, JSON.stringify({ version }))

const refusal = (sentence: string) => new AppError('bad_request', sentence)

describe('a project’s LangGraph', () => {
  it('is refused where its package.json is a pipe, or another file', async () => {
    const manifest = join(folder, 'node_modules/@langchain/langgraph/package.json')
    const no = refusal(`${manifest} is no JSON file: install the package again.`)
    await mkdir(dirname(manifest), { recursive: true })
    runNow('mkfifo', [manifest])
    await expect(checkLangGraph(file)).rejects.toEqual(no)
    await rm(manifest)
    await write('secret', 'of another')
    await symlink(join(folder, 'secret'), manifest)
    await expect(checkLangGraph(file)).rejects.toEqual(no)
  })

  it.each(['0.2.57', '0.3.0', '1.4.18', '2.0.0-beta.1', '10.0.0'])('may be %s', async (version) => {
    await install('@langchain/core', '1.2.13')
    await install('@langchain/langgraph', version)
    expect(await checkLangGraph(file)).toBe(version)
  })

  it.each(['0.0.34', '0.2.11', '0.2.56'])(
    'is too old at %s, with what mends it',
    async (version) => {
      await install('@langchain/langgraph', version)
      await expect(checkLangGraph(file)).rejects.toEqual(
        refusal(
          `The project has @langchain/langgraph ${version}, and Runyard needs 0.2.57 or newer: ` +
            'run `npm install @langchain/langgraph@0.4 @langchain/core@0.3`.',
        ),
      )
    },
  )

  it.each([
    ['.modules.yaml', 'pnpm add'],
    ['.yarn-integrity', 'yarn add'],
    ['.yarn-state.yml', 'yarn add'],
    ['.package-lock.json', 'npm install'],
  ])('is missing: the package manager that wrote %s adds it', async (mark, command) => {
    await write(`node_modules/${mark}`, '')
    await expect(checkLangGraph(file)).rejects.toEqual(
      refusal(
        'The project has no @langchain/langgraph installed: ' +
          `run \`${command} @langchain/langgraph @langchain/core\`.`,
      ),
    )
  })

  it('needs core, wherever the package manager has put it', async () => {
    const store = 'node_modules/.pnpm/a/node_modules'
    await install('@langchain/langgraph', '1.4.18', store)
    await mkdir(join(folder, 'node_modules/@langchain'))
    await symlink(
      join(folder, store, '@langchain/langgraph'),
      join(folder, 'node_modules/@langchain/langgraph'),
    )
    await expect(checkLangGraph(file)).rejects.toEqual(
      refusal(
        'The project has no @langchain/core installed, which @langchain/langgraph needs: ' +
          'run `npm install @langchain/core`.',
      ),
    )
    await install('@langchain/core', '1.2.13', store)
    expect(await checkLangGraph(file)).toBe('1.4.18')
  })
})

describe('checkProjectPackages', () => {
  it('leaves to a build command what is missing, and nothing that is too old', async () => {
    const language = 'javascript' as const
    const graph = { language, path: './src/graph.ts', file, exportName: 'graph' }
    const config = { graphs: [{ graph_id: 'a', description: null, ...graph }] }
    await rm(file)
    await checkProjectPackages(config, { isBuilt: false })
    await write('src/graph.ts', '')
    await expect(checkProjectPackages(config)).rejects.toThrow('no @langchain/langgraph installed')
    await install('@langchain/langgraph', '0.1.0')
    const early = checkProjectPackages(config, { isBuilt: false })
    await expect(early).rejects.toThrow('has @langchain/langgraph 0.1.0')
  })

  it('warns about a @langchain/core with a known weakness, and says what mends it', async () => {
    const language = 'javascript' as const
    const graph = { language, path: './src/graph.ts', file, exportName: 'graph' }
    const graphs = ['a', 'b'].map((graph_id) => ({ graph_id, description: null, ...graph }))
    await write('src/graph.ts', '')
    await install('@langchain/langgraph', '1.0.2')
    await install('@langchain/core', '1.0.2')
    expect(await checkProjectPackages({ graphs })).toEqual([
      '@langchain/core 1.0.2 has a known weakness (CVE-2025-68665): its load() reveals variables of the environment. ' +
        'Run `npm install @langchain/core@^1.1.8`.',
    ])
    await install('@langchain/core', '1.1.8')
    expect(await checkProjectPackages({ graphs })).toEqual([])
  })
})
