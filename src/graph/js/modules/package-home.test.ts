import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { findPackage, packageHome } from './package-home.ts'

const STORE = 'node_modules/.pnpm/carrier@1/node_modules'

let folder: string
let file: string
beforeEach(async () => {
  folder = temporaryFolder()
  file = join(folder, 'src/graph.ts')
  await write('package.json', { dependencies: { carrier: '1', gone: '1' } })
  await write(`${STORE}/carrier/package.json`, { version: '1.0.0' })
  await write(`${STORE}/@a/b/package.json`, { version: '2.0.0' })
  await symlink(join(folder, STORE, 'carrier'), join(folder, 'node_modules/carrier'))
})

async function write(path: string, json: object): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), JSON.stringify(json))
}

describe('a package', () => {
  it('is the file’s own, if the file can import it', async () => {
    await write('node_modules/@a/b/package.json', { version: '3.0.0' })
    const own = join(folder, 'node_modules/@a/b')
    expect(await findPackage(file, '@a/b')).toEqual({ version: '3.0.0', folder: own, home: file })
    expect(await packageHome(file, '@a/b/deep/path')).toBe(file)
  })

  it('is that of a dependency, where only that one can', async () => {
    const home = join(folder, STORE, 'carrier/package.json')
    const theirs = join(folder, STORE, '@a/b')
    expect(await findPackage(file, '@a/b')).toEqual({ version: '2.0.0', folder: theirs, home })
    expect(await packageHome(file, '@a/b/deep/path')).toBe(home)
  })

  it('may be nowhere', async () => {
    await write('package.json', { dependencies: { gone: '1' } })
    expect(await findPackage(file, '@a/b')).toBeUndefined()
    expect(await packageHome(file, 'b/deep')).toBe(file)
    await write('package.json', {})
    expect(await findPackage(file, '@a/b')).toBeUndefined()
  })
})
