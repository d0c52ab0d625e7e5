import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { list } from 'tar'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { packFolder } from './pack.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

const write = (files: Record<string, string>) => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

/** The files in the tarball, without the folders. */
async function packed(): Promise<string[]> {
  const names: string[] = []
  const file = join(folder, '../', `${basename(folder)}.tar.gz`)
  writeFileSync(file, await packFolder(folder))
  list({ file, sync: true, onReadEntry: (entry) => names.push(entry.path) })
  rmSync(file)
  return names.filter((name) => !name.endsWith('/')).map((name) => name.replace(/^\.\//, ''))
}

it('packs what is in the folder, and never packages, repositories and environments', async () => {
  write({ 'langgraph.json': '{}', 'src/agent.ts': '', '@odd/name.ts': '' })
  write({ 'node_modules/a/index.js': '', 'src/node_modules/b.js': '', '.git/HEAD': '' })
  write({ '.env': 'A=1', 'src/.env.local': 'B=2', '.gitignore': '!.env\n' })
  expect(await packed()).toEqual(['.gitignore', '@odd/name.ts', 'langgraph.json', 'src/agent.ts'])
})

it('packs no environment and no cache of Python', async () => {
  write({ 'langgraph.json': '{}', 'agent.py': '', 'tools/a.py': '' })
  write({ '.venv/lib/a.py': '', 'my-env/pyvenv.cfg': '', 'my-env/lib/a.py': '' })
  write({ '__pycache__/agent.pyc': '', 'tools/__pycache__/a.pyc': '', '.mypy_cache/a.json': '' })
  expect(await packed()).toEqual(['agent.py', 'langgraph.json', 'tools/a.py'])
})

it('leaves out what .gitignore and .dockerignore say, those of folders too', async () => {
  write({ '.gitignore': 'dist/\n*.log\n', '.dockerignore': 'notes.md\n' })
  write({ 'dist/a.js': '', 'a.log': '', 'notes.md': '', 'src/a.ts': '', 'src/b.log': '' })
  write({ 'src/.gitignore': 'secret.txt\n!b.log\n', 'src/secret.txt': '', 'secret.txt': '' })
  expect(await packed()).toEqual([
    '.dockerignore',
    '.gitignore',
    'secret.txt',
    'src/.gitignore',
    'src/a.ts',
    'src/b.log',
  ])
})
