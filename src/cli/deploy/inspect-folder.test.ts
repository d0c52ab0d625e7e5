import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { inspectFolder } from './inspect-folder.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
  writeFileSync(join(folder, 'langgraph.json'), '{"graphs": {"agent": "./agent.ts:graph"}}')
})

const inspect = async (isBuilt = true) =>
  (await inspectFolder({ folder, configPath: 'langgraph.json' }, { isBuilt })).files

test('answers the files that would be sent', async () => {
  writeFileSync(join(folder, 'agent.ts'), 'export {}')
  writeFileSync(join(folder, '.env'), 'A=1')
  expect(await inspect()).toEqual([
    { path: './agent.ts', bytes: 9 },
    { path: './langgraph.json', bytes: 41 },
  ])
})

test('refuses a graph whose file is not there, unless the build makes it', async () => {
  await expect(inspect()).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringContaining('there is no file "./agent.ts"'),
  })
  expect(await inspect(false)).toHaveLength(1)
})

test('refuses a graph whose file is left out of what is sent', async () => {
  writeFileSync(join(folder, 'agent.ts'), '')
  writeFileSync(join(folder, '.gitignore'), '*.ts\n')
  await expect(inspect()).rejects.toThrow('./agent.ts is in the folder, but is not sent')
})

test('refuses a folder without a project', async () => {
  rmSync(join(folder, 'langgraph.json'))
  await expect(inspect()).rejects.toThrow(/There is no .*langgraph\.json: name the folder/)
})
