/** What is installed before a command and beside a server, and when; by an npm that only notes what it is asked for. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { endTogether } from './support/processes/end-together.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const ROOT = resolve(import.meta.dirname, '..')
const SCRIPT = resolve(ROOT, 'scripts/prepare.mjs')
const NPM = `#!/bin/sh
echo "$1" >> "$FAKE/asked"
test ! -e "$FAKE/offline"
`

let clone: string
const at = (name: string) => join(clone, name)
const stampFile = () => at('node_modules/.runyard-installed')

beforeEach(() => {
  clone = temporaryFolder()
  for (const name of ['scripts', 'node_modules', 'bin']) mkdirSync(at(name))
  copyFileSync(SCRIPT, at('scripts/prepare.mjs'))
  writeFileSync(at('package-lock.json'), '{}')
  writeFileSync(at('bin/npm'), NPM)
  chmodSync(at('bin/npm'), 0o755)
})

function prepare(args: string[] = [], env: Record<string, string> = {}): ChildProcess {
  const PATH = [at('bin'), process.env.PATH].join(delimiter)
  const child = spawn(process.execPath, [at('scripts/prepare.mjs'), ...args], {
    env: { ...process.env, PATH, FAKE: clone, npm_lifecycle_event: undefined, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  endTogether(child, 'SIGKILL')
  return child
}

async function codeOf(child: ChildProcess): Promise<number | null> {
  child.stderr?.resume()
  const [code] = await once(child, 'exit')
  return code
}

/** What npm was asked for since the last look. */
function asked(): string[] {
  if (!existsSync(at('asked'))) return []
  const words = readFileSync(at('asked'), 'utf8').trim().split('\n')
  rmSync(at('asked'))
  return words
}

describe.skipIf(process.platform === 'win32')('prepare.mjs (npm is a shell script here)', () => {
  it('installs for a start, and the rest when that is asked for', async () => {
    expect(await codeOf(prepare(['--start']))).toBe(0)
    expect(asked()).toEqual(['ci'])
    expect(await codeOf(prepare(['--start']))).toBe(0)
    expect(asked()).toEqual([])
    expect(await codeOf(prepare(['--rest']))).toBe(0)
    expect(asked()).toEqual(['install'])
    expect(await codeOf(prepare())).toBe(0)
    expect(asked()).toEqual([])
  })

  it.each([
    { RUNYARD_RUNTIME: 'docker' },
    { RUNYARD_ARTIFACTS_URL: 's3://builds' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' },
  ])('has all there before a start that asks for more: %o', async (env) => {
    expect(await codeOf(prepare(['--start']))).toBe(0)
    expect(asked()).toEqual(['ci'])
    expect(await codeOf(prepare(['--start'], env))).toBe(0)
    expect(asked()).toEqual(['install'])
    rmSync(stampFile())
    expect(await codeOf(prepare(['--start'], env))).toBe(0)
    expect(asked()).toEqual(['ci'])
    expect(readFileSync(stampFile(), 'utf8')).not.toContain(' ')
  })

  it('starts again at once when the rest could not be had, and tries that again', async () => {
    await codeOf(prepare(['--start']))
    writeFileSync(at('offline'), '')
    expect(await codeOf(prepare(['--rest']))).toBe(1)
    asked()
    expect(await codeOf(prepare(['--start']))).toBe(0)
    expect(asked()).toEqual([])
    rmSync(at('offline'))
    expect(await codeOf(prepare(['--rest']))).toBe(0)
    expect(asked()).toEqual(['install'])
  })

  it('waits for the rest that another one is adding', async () => {
    await codeOf(prepare(['--start']))
    const hash = readFileSync(stampFile(), 'utf8').split(' ')[0] ?? ''
    asked()
    mkdirSync(at('.install.lock'))
    writeFileSync(at('.install.lock/pid'), String(process.pid))
    writeFileSync(stampFile(), `${hash} being added to`)
    const child = prepare(['--rest'])
    const ended = codeOf(child)
    const said = once(child.stderr as NodeJS.ReadableStream, 'data').then(String)
    const first = await Promise.race([said, ended.then(() => 'it has not waited')])
    expect(first).toContain('waiting for another install')
    writeFileSync(stampFile(), hash)
    rmSync(at('.install.lock'), { recursive: true })
    expect(await ended).toBe(0)
    expect(asked()).toEqual([])
  })

  it('installs the dashboard’s packages at the same time, unless there shall be none', async () => {
    mkdirSync(at('dashboard/node_modules'), { recursive: true })
    writeFileSync(at('dashboard/package-lock.json'), '{}')
    expect(await codeOf(prepare(['--start'], { RUNYARD_DASHBOARD: '0' }))).toBe(0)
    expect(asked()).toEqual(['ci'])
    expect(await codeOf(prepare(['--dashboard']))).toBe(0)
    expect(asked()).toEqual(['ci'])
    rmSync(stampFile())
    rmSync(at('dashboard/node_modules/.runyard-installed'))
    expect(await codeOf(prepare(['--start']))).toBe(0)
    expect(await codeOf(prepare(['--dashboard']))).toBe(0)
    expect(asked()).toEqual(['ci', 'ci'])
    expect(await codeOf(prepare(['--start']))).toBe(0)
    expect(asked()).toEqual([])
    writeFileSync(at('dashboard/package-lock.json'), '{ }')
    writeFileSync(at('offline'), '')
    expect(await codeOf(prepare(['--start']))).toBe(0)
    expect(await codeOf(prepare(['--dashboard']))).toBe(1)
  })

  it('does nothing beside a server where somebody installed in another way', async () => {
    expect(await codeOf(prepare(['--rest']))).toBe(0)
    expect(asked()).toEqual([])
  })
})

describe('what a start installs', () => {
  const packageAt = (path: string) => JSON.parse(readFileSync(resolve(ROOT, path), 'utf8'))
  const start = packageAt('scripts/start/package.json')

  it('is a part of what Runyard needs, in the versions that Runyard has', () => {
    const runyard = packageAt('package.json')
    const names = Object.keys({ ...runyard.dependencies, ...runyard.devDependencies })
    expect(names).toEqual(expect.arrayContaining(Object.keys(start.dependencies)))
    expect(Object.keys(start.optionalDependencies)).toEqual(
      Object.keys(runyard.optionalDependencies),
    )
    const locked = Object.keys(packageAt('package-lock.json').packages)
    expect(locked.filter((path) => path.startsWith('scripts/start/'))).toEqual([])
  })

  it('has all but what is imported later, where a setting asks for it', () => {
    const later = [...packagesOf(resolve(ROOT, 'src'))].filter(
      (name) => !(name in start.dependencies),
    )
    expect(later.toSorted()).toEqual([
      ...['@aws-sdk/client-s3', '@aws-sdk/lib-storage', '@aws-sdk/s3-request-presigner'],
      ...['@kubernetes/client-node', '@opentelemetry/api'],
      ...['grpc', 'http', 'proto'].map((kind) => `@opentelemetry/exporter-metrics-otlp-${kind}`),
      ...['@opentelemetry/sdk-metrics', '@opentelemetry/sdk-node', 'dockerode'],
    ])
  })
})

/** The packages that the sources import, but for types. */
function packagesOf(folder: string): Set<string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const sources = files.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const names = sources.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    return [...text.matchAll(IMPORT)].flatMap(({ 1: from = '', 2: later = '' }) => from || later)
  })
  return new Set(names.flatMap((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? []))
}

const IMPORT =
  /^(?:import|export)(?! type\b)[^'";]*?from '((?!node:)[\w@][^']*)'|(?<!typeof )(?:import|require)\('((?!node:)[\w@][^']*)'\)/gm
