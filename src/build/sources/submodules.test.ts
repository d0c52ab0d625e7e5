import { expect, it } from 'vitest'
import { readModules, readSubmodules, submoduleUrl } from './submodules.ts'

const HUB = 'https://hub.example/org/app.git'
const SSH = 'git@hub.example:org/app.git'

it.each([
  [HUB, 'https://hub.example/org/lib.git', 'https://hub.example/org/lib.git'],
  [HUB, '../lib.git', 'https://hub.example/org/lib.git'],
  [`${HUB}/`, '../../other/lib', 'https://hub.example/other/lib'],
  ['https://hub.example:8443/a', './b', 'https://hub.example:8443/a/b'],
  [SSH, 'git@hub.example:other/lib.git', 'git@hub.example:other/lib.git'],
  [SSH, 'ssh://git@hub.example/other/lib.git', 'ssh://git@hub.example/other/lib.git'],
  [SSH, '../lib.git', 'git@hub.example:org/lib.git'],
  ['ssh://git@hub.example:2222/a/b', '../c', 'ssh://git@hub.example:2222/a/c'],
  ['file:///srv/a', 'file:///srv/b', 'file:///srv/b'],
  ['file:///srv/a', '/srv/b', 'file:///srv/b'],
  ['file:///srv/a', '../b', 'file:///srv/b'],
])('of %s fetches %s from the same server', (repository, url, from) => {
  expect(submoduleUrl(repository, url)).toBe(from)
})

it.each([
  [HUB, 'https://other.example/org/lib.git'],
  [HUB, 'https://hub.example:8443/org/lib.git'],
  [HUB, 'https://hub.example.evil/org/lib.git'],
  [HUB, 'http://hub.example/org/lib.git'],
  [HUB, SSH],
  [SSH, HUB],
  [SSH, 'git@other.example:org/lib.git'],
  [SSH, '../../../lib.git'],
  [HUB, 'file:///etc'],
  [HUB, '/etc'],
  [SSH, '/etc'],
  [HUB, 'ext::sh -c touch% x'],
  [HUB, '--upload-pack=x'],
  [HUB, ''],
])('of %s does not fetch %s', (repository, url) => {
  expect(submoduleUrl(repository, url)).toBeUndefined()
})

it('joins what .gitmodules says with the commits of the tree', () => {
  const settings = [
    ...['submodule.a.b.path\nlibs/a', 'submodule.a.b.url\n../a', 'submodule.x.path\nx'],
    ...['submodule.x.url\n../x', 'submodule.x.update\nnone', ''],
  ].join('\0')
  const commit = 'a'.repeat(40)
  const entries = [
    ...[`160000 commit ${commit}\tlibs/a`, `160000 commit ${commit}\tx`],
    ...[`160000 commit ${commit}\tunnamed`, `100644 blob ${commit}\tfile`, ''],
  ].join('\0')
  expect(readSubmodules(readModules(settings), entries)).toEqual([
    { path: 'libs/a', commit, url: '../a', isLeftOut: false },
    { path: 'x', commit, url: '../x', isLeftOut: true },
    { path: 'unnamed', commit, url: undefined, isLeftOut: false },
  ])
})
