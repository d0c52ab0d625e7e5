import { expect, test } from 'vitest'
import { pickedFolder, sentFiles } from './folder.ts'

/** As an `<input>` for folders answers them. */
function picked(files: Record<string, string>) {
  const list = Object.entries(files).map(([path, text]) => {
    const file = new File([text], path.split('/').at(-1) ?? path)
    Object.defineProperty(file, 'webkitRelativePath', { value: `project/${path}` })
    return file
  })
  return pickedFolder(list)
}

const sent = async (files: Record<string, string>) =>
  (await sentFiles(picked(files))).map(({ path }) => path)

test('sends what is in the folder, and never packages, repositories and environments', async () => {
  const files = { 'langgraph.json': '{}', 'src/agent.ts': '', '.git/HEAD': '', '.env': 'A=1' }
  const python = { 'my-env/pyvenv.cfg': '', 'my-env/lib/a.py': '', 'a/__pycache__/a.pyc': '' }
  const packages = { 'node_modules/a/index.js': '', 'src/node_modules/b.js': '' }
  expect(picked(files).name).toBe('project')
  expect(await sent({ ...files, ...python, ...packages })).toEqual([
    'langgraph.json',
    'src/agent.ts',
  ])
})

test('leaves out what .gitignore and .dockerignore say, those of folders too', async () => {
  const rules = { '.gitignore': 'dist/\n*.log\n', '.dockerignore': 'notes.md\n' }
  const below = { 'src/.gitignore': 'secret.txt\n!b.log\n', 'src/secret.txt': '', 'src/b.log': '' }
  const files = { 'dist/a.js': '', 'a.log': '', 'notes.md': '', 'src/a.ts': '', 'secret.txt': '' }
  expect(await sent({ ...rules, ...below, ...files })).toEqual([
    '.dockerignore',
    '.gitignore',
    'secret.txt',
    'src/.gitignore',
    'src/a.ts',
    'src/b.log',
  ])
})
