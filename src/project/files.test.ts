import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { runNow } from '../../test/support/processes/program.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { readTextFile } from './files.ts'

let dir: string
let path: string
beforeEach(() => {
  dir = temporaryFolder()
  path = join(dir, 'langgraph.json')
})

it('answers the text of a file, through links too', async () => {
  await writeFile(join(dir, 'text'), 'für alle 🎉')
  await symlink('text', path)
  expect(await readTextFile(path)).toBe('für alle 🎉')
})

it('reads as much as is allowed, and refuses more', async () => {
  await writeFile(path, '12345')
  expect(await readTextFile(path, 5)).toBe('12345')
  await expect(readTextFile(path, 4)).rejects.toMatchObject({
    code: 'bad_request',
    message: `${path} is not read: it is larger than 4 bytes.`,
  })
})

it('refuses a device that never ends', async () => {
  await symlink('/dev/zero', path)
  await expect(readTextFile(path)).rejects.toThrow('is not read: it is no file')
})

it('refuses a pipe that nobody writes to', async () => {
  runNow('mkfifo', [path])
  await expect(readTextFile(path)).rejects.toThrow('is not read: it is no file')
})

it('leaves it to the system to say that there is nothing', async () => {
  await expect(readTextFile(path)).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(readTextFile(dir)).rejects.toMatchObject({ code: 'EISDIR' })
})
