import { existsSync } from 'node:fs'
import {
  access,
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { create } from 'tar'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runNow } from '../../test/support/processes/program.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { openFolderObjects } from '../artifacts/folder-objects.ts'
import { systemClock } from '../core/clock.ts'
import type {
  BuildError,
  BuildRequest,
  BuiltRevision,
  Tarballs,
} from '../core/deployment/builds/build.ts'
import {
  EMPTY_SOURCE_CONFIG,
  type SourceConfig,
  type SourceRevisionConfig,
} from '../core/deployment/sources/config.ts'
import { AppError } from '../core/errors.ts'
import { type Log, silentLog } from '../core/log.ts'
import { residentBytes } from '../process/memory.ts'
import { createBuilder } from './builder.ts'
import type { CheckedConfig } from './configuration.ts'
import { LaterWork } from './later-work.ts'
import { localProject } from './local-project.ts'
import type { BuilderOptions } from './options.ts'
import { createTarballs } from './tarballs.ts'

const DEPLOYMENT = '00000000-0000-4000-8000-000000000001'
const REVISION = '00000000-0000-4000-8000-000000000009'
const PASSED_ON =
  /^(npm_config_registry|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|HOME|PATH|https?_proxy)$/i

let dir: string
let tarballs: Tarballs
beforeEach(() => {
  dir = temporaryFolder()
  const root = join(dir, 'data')
  tarballs = createTarballs({ dir: root, objects: openFolderObjects({ root }) })
})

/** A project whose lock file needs nothing from a registry. */
const WORKSPACE = {
  'package.json': '{"name":"top","version":"1.0.0","workspaces":["tool"]}',
  'tool/package.json': '{"name":"tool","version":"1.0.0"}',
  'package-lock.json': JSON.stringify({
    name: 'top',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: {
      '': { name: 'top', version: '1.0.0', workspaces: ['tool'] },
      'node_modules/tool': { resolved: 'tool', link: true },
      tool: { name: 'tool', version: '1.0.0' },
    },
  }),
}

/** What is known of a project in JavaScript. */
const checked = (node_version?: string): CheckedConfig => ({
  node_version,
  needsNode: true,
  hasJsModules: true,
  notes: [],
})

function passedOn(): Record<string, string> {
  const found = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name))
  return Object.fromEntries(found) as Record<string, string>
}

function builder(more: Partial<BuilderOptions> = {}) {
  return createBuilder({
    dir: join(dir, 'data'),
    tarballs,
    checkConfig: async () => checked(),
    checkPackages: async () => [],
    ownNode: dirname(process.execPath),
    env: passedOn(),
    clock: systemClock,
    log: silentLog,
    ...more,
  })
}

async function write(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

/** What a test is about, of a request or of its configuration. */
type Change = Partial<
  Pick<BuildRequest, 'source' | 'secrets'> &
    Pick<SourceConfig, 'repo_url' | 'install_command' | 'build_command'> &
    Pick<SourceRevisionConfig, 'repo_ref' | 'repo_commit_sha'>
>

function request(change: Change, langgraph_config_path: string | null = null): BuildRequest {
  const { source = 'internal_source', secrets = [], ...rest } = change
  const { repo_ref = null, repo_commit_sha = null, ...config } = rest
  return {
    revision_id: REVISION,
    deployment_id: DEPLOYMENT,
    source,
    source_config: { ...EMPTY_SOURCE_CONFIG, ...config },
    source_revision_config: {
      repo_ref,
      langgraph_config_path,
      image_uri: null,
      source_tarball_path: 'd/source.tar.gz',
      repo_commit_sha,
      image_digest: null,
    },
    secrets,
  }
}

/** Packs the files, uploads them, and answers the request that builds them. */
async function uploaded(
  files: Record<string, string>,
  more: Change = {},
  config: string | null = null,
): Promise<BuildRequest> {
  await write(join(dir, 'project'), files)
  return upload(more, config)
}

async function upload(more: Change = {}, config: string | null = null) {
  const packed = create({ gzip: true, cwd: join(dir, 'project') }, ['.'])
  await tarballs.receive('d/source.tar.gz', packed as unknown as AsyncIterable<Uint8Array>)
  return request(more, config)
}

const never = new AbortController().signal
const build = (of: BuildRequest) => builder().build(of, never)
/** Where it lies here. */
const local = ({ artifact }: BuiltRevision, at = join(dir, 'data')) => {
  if (artifact.kind !== 'folder') throw new Error('It is no folder.')
  return localProject(at, artifact)
}
const source = (built: BuiltRevision) => dirname(local(built).configPath)
const log = () => readFile(join(dir, 'data/revisions', REVISION, 'build.log'), 'utf8')

async function failure(of: BuildRequest, more: Partial<BuilderOptions> = {}): Promise<BuildError> {
  const error = await builder(more)
    .build(of, never)
    .catch((caught: unknown) => caught)
  expect(error).toMatchObject({ name: 'BuildError' })
  expect(await builder().find(REVISION)).toBeUndefined()
  return error as BuildError
}

describe('a build', () => {
  it('of a tarball ends in a folder that is found again', async () => {
    const built = await build(await uploaded({ 'langgraph.json': '{}' }))
    expect(built.repo_commit_sha).toBeNull()
    expect(await readFile(local(built).configPath, 'utf8')).toBe('{}')
    expect(await builder().find(REVISION)).toEqual(built)
    expect(await log()).toMatch(/^\d{4}-\S+Z Unpacked 2 entries\.$/m)
  })

  it('of a repository answers the commit', async () => {
    const repository = join(dir, 'repository')
    await write(repository, { 'apps/agent/langgraph.json': '{}' })
    const git = (...args: string[]) =>
      runNow('git', ['-C', repository, '-c', 'user.name=A', '-c', 'user.email=a@b', ...args])
    git('init', '--quiet')
    git('add', '.')
    git('commit', '--quiet', '-m', 'one')
    const more = { source: 'github', repo_url: `file://${repository}` } as const
    const built = await build(request(more, 'apps/agent/langgraph.json'))
    expect(built.repo_commit_sha).toBe(git('rev-parse', 'HEAD').trim())
    expect(local(built).configPath).toMatch(/source\/apps\/agent\/langgraph\.json$/)
    expect(await builder().find(REVISION)).toEqual(built)

    git('commit', '--quiet', '--allow-empty', '-m', 'two')
    const { repo_commit_sha } = built
    const again = await build(request({ ...more, repo_commit_sha }, 'apps/agent/langgraph.json'))
    expect(again.repo_commit_sha).toBe(repo_commit_sha)
  })

  describe('with a bundler', () => {
    const pathOf = (config: string) => join(dirname(config), 'bundle.mjs')
    const withBundler = (script: string) =>
      builder({ bundler: { command: ['/bin/sh', '-c', script, 'bundler'], pathOf } })

    it('is found again as long as its bundle is there', async () => {
      const of = await uploaded({ 'langgraph.json': '{}', 'bundle.mjs': 'the project’s own' })
      const bundling = withBundler('cd "$(dirname "$1")" && ls && touch bundle.mjs && env')
      const built = await bundling.build(
        { ...of, secrets: [{ name: 'A', value: 'sesame' }] },
        never,
      )
      expect(local(built).bundlePath).toBe(join(source(built), 'bundle.mjs'))
      expect(await builder().find(REVISION)).toEqual(built)
      expect(await log()).not.toMatch(/ (bundle\.mjs|A=sesame)$/m)
      // A quarter of what it may take.
      expect(await log()).toMatch(/ GOMEMLIMIT=1073741824B$/m)
      await rm(local(built).bundlePath ?? '')
      expect(await builder().find(REVISION)).toBeUndefined()
    })

    it('does without a bundle where none is written, and says why', async () => {
      const of = await uploaded({ 'langgraph.json': '{}', 'bundle.mjs': 'the project’s own' })
      const built = await withBundler('echo Not bundled: because').build(of, never)
      expect(built).toMatchObject({ artifact: { bundle: null } })
      expect(await builder().find(REVISION)).toEqual(built)
      expect(await log()).toContain('Not bundled: because')
    })

    it('does without a bundle where the bundler fails', async () => {
      const of = await uploaded({ 'langgraph.json': '{}' })
      const built = await withBundler('touch bundle.mjs; exit 3').build(of, never)
      expect(built).toMatchObject({ artifact: { bundle: null } })
      expect(await log()).toMatch(/could not bundle, .*`bundle` ended with exit code 3\.$/m)
    })

    describe('whose schemas are read after the build', () => {
      const work = new LaterWork()
      const reading = (script: string) => {
        const schemas = { command: ['/bin/sh', '-c', script, 'reader'] as const, work }
        const command = ['/bin/sh', '-c', 'touch "$(dirname "$1")/bundle.mjs"', 'bundler'] as const
        return { command, schemas, pathOf }
      }
      /** Beside the project, as `langgraph.json` is. */
      const WAITING = 'cd "$(dirname "$1")"; echo $$ > pid; while ! [ -e go ]; do sleep 0.01; done'
      const pidIn = (folder: string) =>
        vi.waitUntil(
          async () => Number(await readFile(join(folder, 'pid'), 'utf8').catch(() => 0)),
          { timeout: 20_000 },
        )
      afterEach(() => work.stop())

      it('ends before, and they are written beside its bundle', async () => {
        const of = await uploaded({ 'langgraph.json': '{}' })
        const bundler = reading(`${WAITING}; touch schemas.json`)
        const folder = source(await builder({ bundler }).build(of, never))
        await pidIn(folder)
        await writeFile(join(folder, 'go'), '')
        await expect.poll(() => readdir(folder), { timeout: 20_000 }).toContain('schemas.json')
      })

      it('leaves nothing behind where it is removed meanwhile', async () => {
        const of = await uploaded({ 'langgraph.json': '{}' })
        const built = builder({ bundler: reading(WAITING) })
        const folder = source(await built.build(of, never))
        const pid = await pidIn(folder)
        await built.remove(REVISION)
        expect(await residentBytes(pid)).toBe(0)
        expect(existsSync(folder)).toBe(false)
      })

      it('says in the server’s log why there are none', async () => {
        const reason = Promise.withResolvers<unknown>()
        const log: Log = { ...silentLog, warn: (fields) => reason.resolve(fields) }
        const of = await uploaded({ 'langgraph.json': '{}' })
        await builder({ bundler: reading('echo No types; exit 3'), log }).build(of, never)
        expect(await reason.promise).toEqual({
          revision_id: REVISION,
          reason: 'No types `schemas` ended with exit code 3.',
        })
      })
    })

    describe('and packages of an earlier build', () => {
      /** What links them waits for the bundler, which waits for them. Answers the request of the second build. */
      async function builtBefore(end: string) {
        const links = `while ! [ -s "${dir}/pid" ]; do sleep 0.01; done\n${end}\n`
        await write(join(dir, 'bin'), { cp: `#!/bin/sh\n${links}` })
        await chmod(join(dir, 'bin/cp'), 0o755)
        const of = await uploaded({ 'langgraph.json': '{}', ...WORKSPACE })
        await builder().build(of, never)
        return of
      }
      const bundling = () => {
        const script = `echo $$ > "${dir}/pid"; cat; cd "$(dirname "$1")" && ls node_modules && touch bundle.mjs`
        const PATH = [join(dir, 'bin'), process.env.PATH].join(delimiter)
        const bundler = { command: ['/bin/sh', '-c', script, 'bundler'], pathOf } as const
        return builder({ env: { ...passedOn(), PATH }, bundler })
      }

      it('is begun while they are linked, and bundles what lies there then', async () => {
        const of = await builtBefore('exec /bin/cp "$@"')
        const built = await bundling().build(of, never)
        expect(local(built).bundlePath).toBe(join(source(built), 'bundle.mjs'))
        expect(await log()).toMatch(/Nothing to install.*\n.* \$ bundle\n.* tool\n/)
      })

      it('is not left behind where they cannot be linked', async () => {
        const of = await builtBefore('exit 1')
        await expect(bundling().build(of, never)).rejects.toThrow('ended with 1')
        const pid = Number(await readFile(join(dir, 'pid'), 'utf8'))
        expect(await residentBytes(pid)).toBe(0)
        expect(await log()).not.toContain('$ bundle')
      })
    })
  })

  it.each([undefined, '20', process.versions.node.split('.')[0]])(
    'runs on Runyard’s own Node when "node_version" is %s, and says so',
    async (node_version) => {
      const checkConfig = async () => checked(node_version)
      const of = await uploaded({ 'langgraph.json': '{}' })
      const built = await builder({ checkConfig }).build(of, never)
      expect(local(built).node).toBeNull()
      expect(await builder().find(REVISION)).toEqual(built)
      const asked = node_version ? `"node_version": "${node_version}"` : 'names no "node_version"'
      expect(await log()).toContain(`Node: ${process.versions.node}, Runyard's own (`)
      expect(await log()).toContain(asked)
    },
  )

  it.runIf(process.platform === 'linux')(
    'brings another Node along, once for all, and runs the project’s commands on it',
    async () => {
      const checkConfig = async () => checked('22')
      const commands = {
        install_command: 'node --version > which',
        build_command: 'node --version',
      }
      const of = await uploaded({ 'langgraph.json': '{}' }, commands)
      const npm = await npmOfNodes()
      const built = await builder({ checkConfig, npm }).build(of, never)
      const path = local(built).node?.path ?? ''
      expect(path).toMatch(/\/data\/nodes\/22\.\d+\.\d+\/.*\/bin\/node$/)
      const version = runNow(path, ['--version'])
      expect(version).toMatch(/^v22\./)
      expect(await readFile(join(source(built), 'which'), 'utf8')).toBe(version)
      expect(await log()).toContain(`npm ci node-linux-${process.arch}@${version.slice(1).trim()}`)
      expect(await builder().find(REVISION)).toEqual(built)

      const again = await builder({ checkConfig, npm: '/nowhere/npm' }).build(of, never)
      expect(again).toEqual(built)
      expect(await readdir(join(dir, 'data/unfinished'))).toEqual([])
      await rm(path)
      expect(await builder().find(REVISION)).toBeUndefined()
      await builder({ checkConfig, npm }).build(of, never)
      expect(await builder().find(REVISION)).toEqual(built)
    },
  )

  /**
   * Stands in for npm: what it brings says that it is the Node of the lock file. npm itself brings one in
   * `test/e2e/project-node.test.ts`.
   */
  async function npmOfNodes(): Promise<string> {
    const npm = join(dir, 'npm')
    const script = `#!/bin/sh
      bin=node_modules/node-linux-${process.arch}/bin
      version=$(sed -n 's/.*"version":"\\([^"]*\\)".*/\\1/p' package-lock.json)
      mkdir -p $bin && echo "#!/bin/sh\necho v$version" > $bin/node && chmod +x $bin/node`
    await writeFile(npm, script, { mode: 0o755 })
    return npm
  }

  it('begins anew each time', async () => {
    const built = await build(await uploaded({ 'langgraph.json': '{}' }))
    await writeFile(join(source(built), 'left-over'), '')
    await build(await uploaded({ 'langgraph.json': '{}' }))
    expect(await readdir(source(built))).toEqual(['langgraph.json'])
  })

  it('is found after the data folder has moved, and not once it is removed', async () => {
    await build(await uploaded({ 'langgraph.json': '{}' }))
    await rename(join(dir, 'data'), join(dir, 'moved'))
    const moved = builder({ dir: join(dir, 'moved') })
    const found = await moved.find(REVISION)
    const { configPath } = local(found ?? expect.fail('it is there'), join(dir, 'moved'))
    expect(await readFile(configPath, 'utf8')).toBe('{}')
    await moved.remove(REVISION)
    await moved.remove(REVISION)
    expect(await moved.find(REVISION)).toBeUndefined()
  })

  it('is listed until it is pruned, which leaves its log and the note of its source', async () => {
    expect(await builder().list()).toEqual([])
    await build(await uploaded({ 'langgraph.json': '{}' }))
    expect(await builder().list()).toEqual([REVISION])
    for (let i = 0; i < 2; i += 1) await builder().prune(REVISION)
    expect(await builder().list()).toEqual([])
    expect(await builder().find(REVISION)).toBeUndefined()
    expect(await readdir(join(dir, 'data/revisions', REVISION))).toEqual([
      'build.log',
      'source.json.gz',
    ])
  })

  it.each(['', '{"config_path":"langgra'])(
    'is not found where the record of its end reads %j',
    async (text) => {
      await build(await uploaded({ 'langgraph.json': '{}' }))
      await writeFile(join(dir, 'data/revisions', REVISION, 'built.json'), text)
      expect(await builder().find(REVISION)).toBeUndefined()
    },
  )

  it('is not taken for gone where the record of its end cannot be read', async () => {
    await build(await uploaded({ 'langgraph.json': '{}' }))
    const record = join(dir, 'data/revisions', REVISION, 'built.json')
    await rm(record)
    await mkdir(record)
    await expect(builder().find(REVISION)).rejects.toThrow('EISDIR')
  })

  it('is not found while it is not done', async () => {
    const seen: unknown[] = []
    const of = await uploaded({ 'langgraph.json': '{}' })
    const checkConfig = async () => {
      seen.push(await builder().find(REVISION))
      return checked()
    }
    await builder({ checkConfig }).build(of, never)
    expect(seen).toEqual([undefined])
  })

  it('runs the own commands: install at the top, build beside the configuration', async () => {
    const commands = { install_command: 'pwd > install', build_command: 'pwd > build' }
    const of = await uploaded({ 'app/langgraph.json': '{}' }, commands, 'app/langgraph.json')
    const app = source(await build(of))
    expect(await readFile(join(app, '../install'), 'utf8')).toMatch(/\/source\n$/)
    expect(await readFile(join(app, 'build'), 'utf8')).toMatch(/\/source\/app\n$/)
  })

  it('gives the commands the secrets, the own Node first, and nothing of this process', async () => {
    process.env.RUNYARD_TEST_MARK = 'leaked'
    const secrets = [
      { name: 'TOKEN', value: 'a secret' },
      { name: 'PATH', value: '/elsewhere' },
      { name: 'RUNYARD_DEPLOY_KEY', value: 'not the project’s' },
      { name: 'POSTGRES_URI_CUSTOM', value: 'postgres://elsewhere' },
    ]
    const install_command = 'env > env; command -v node > node'
    const built = await build(
      await uploaded({ 'langgraph.json': '{}' }, { install_command, secrets }),
    )
    delete process.env.RUNYARD_TEST_MARK
    const env = await readFile(join(source(built), 'env'), 'utf8')
    expect(env).toContain('TOKEN=a secret')
    expect(env).not.toContain('leaked')
    expect(env).not.toContain('DEPLOY_KEY')
    expect(await readFile(join(source(built), 'node'), 'utf8')).toBe(`${process.execPath}\n`)
    expect(await log()).not.toContain('a secret')
    expect(await log()).toContain('The variable POSTGRES_URI_CUSTOM is not used')
  })
})

describe('a build fails with its step and its reason when', () => {
  it('the tarball was not uploaded', async () => {
    expect(await failure(request({}))).toMatchObject({
      step: 'fetch',
      message: expect.stringContaining('not uploaded'),
    })
  })

  it('the tarball path is not one of ours', async () => {
    const of = request({})
    of.source_revision_config.source_tarball_path = '../../etc/passwd'
    expect(await failure(of)).toMatchObject({ step: 'fetch' })
  })

  it('the source is an image', async () => {
    expect((await failure(request({ source: 'external_docker' }))).message).toContain('image')
  })

  it.each([
    [null, 'langgraph.json is not in the source'],
    ['no/such.json', 'no/such.json is not in the source'],
    ['src', 'src is not a file'],
    ['../secret.json', 'leads out of the source'],
    ['/etc/hostname', 'leads out of the source'],
  ])('the configuration is asked for at %j', async (path, sentence) => {
    const of = await uploaded({ 'src/agent.ts': '' }, {}, path)
    expect(await failure(of)).toMatchObject({
      step: 'configuration',
      message: expect.stringContaining(sentence),
    })
  })

  it('the configuration of a repository is a link that leads out', async () => {
    const repository = join(dir, 'repository')
    await write(dir, { 'secret.json': '{}' })
    await mkdir(repository)
    await symlink(join(dir, 'secret.json'), join(repository, 'langgraph.json'))
    const git = (...args: string[]) =>
      runNow('git', ['-C', repository, '-c', 'user.name=A', '-c', 'user.email=a@b', ...args])
    git('init', '--quiet')
    git('add', '.')
    git('commit', '--quiet', '-m', 'one')
    const more = { source: 'github', repo_url: `file://${repository}` } as const
    expect((await failure(request(more))).message).toContain('leads out of the source')
  })

  it('the configuration does not pass its check', async () => {
    const checkConfig = async () => {
      throw new AppError('invalid', 'graphs.agent names src/agent.ts, which is not there.')
    }
    const of = await uploaded({ 'langgraph.json': '{}' }, { install_command: 'touch installed' })
    const error = await failure(of, { checkConfig })
    expect(error).toMatchObject({
      step: 'configuration',
      message: 'graphs.agent names src/agent.ts, which is not there.',
    })
  })

  it.each(['18', '22.1.0', 'lts'])('it asks for Node %s, which there is not', async (version) => {
    const checkConfig = async () => checked(version)
    const error = await failure(await uploaded({ 'langgraph.json': '{}' }), { checkConfig })
    expect(error).toMatchObject({ step: 'configuration' })
    expect(error.message).toContain(
      `"node_version": there is no "${version}"; write "22", "24" or "26"`,
    )
  })

  it('what is installed does not suit, before anything is bundled', async () => {
    const checkPackages: BuilderOptions['checkPackages'] = async (_, { isBuilt }) => {
      if (isBuilt) throw new AppError('bad_request', 'LangGraph is too old.')
      return []
    }
    const pathOf = (config: string) => join(dirname(config), 'bundle.mjs')
    const bundler: BuilderOptions['bundler'] = { command: ['/bin/sh', '-c', 'exit'], pathOf }
    const of = await uploaded({ 'langgraph.json': '{}' }, { install_command: 'echo installed' })
    const told = { step: 'install', message: 'LangGraph is too old.', logTail: [] }
    expect(await failure(of, { checkPackages, bundler })).toMatchObject(told)
    expect(await log()).toMatch(/installed\n.*The step install failed: LangGraph is too old\.\n$/)
    // A build command may install what is missing: the last word comes after it.
    const late = await upload({ build_command: 'echo built' })
    expect(await failure(late, { checkPackages, bundler })).toMatchObject(told)
    expect(await log()).toMatch(/built\n.*The step install failed/)
  })

  it('its build command does not make what the configuration names', async () => {
    const checkConfig = async (configPath: string, state: { isBuilt: boolean }) => {
      if (!state.isBuilt) return checked()
      await access(join(dirname(configPath), 'agent.js')).catch((cause) => {
        throw new AppError('bad_request', 'There is no agent.js.', { cause })
      })
      return checked()
    }
    const build = async (build_command: string | null) =>
      uploaded({ 'langgraph.json': '{}' }, { build_command })
    const missing = { step: 'configuration', message: 'There is no agent.js.' }
    expect(await failure(await build(null), { checkConfig })).toMatchObject(missing)
    expect(await failure(await build('touch other.js'), { checkConfig })).toMatchObject(missing)
    await builder({ checkConfig }).build(await build('touch agent.js'), never)
  })

  it('its install command fails, with the last 20 lines', async () => {
    const install_command = 'for i in $(seq 30); do echo line $i; done; exit 5'
    const error = await failure(await uploaded({ 'langgraph.json': '{}' }, { install_command }))
    expect(error.step).toBe('install')
    expect(error.message).toContain('ended with exit code 5')
    expect(error.logTail).toHaveLength(20)
    expect(error.logTail.at(-1)).toBe('line 30')
    expect(await log()).toContain(' line 1\n')
  })

  it('its build command takes too long', async () => {
    const of = await uploaded({ 'langgraph.json': '{}' }, { build_command: 'sleep 600' })
    const error = await failure(of, { limits: { buildMs: 1000 } })
    expect(error).toMatchObject({
      step: 'build',
      message: expect.stringContaining('longer than 1 s'),
    })
  })
})

it('ends when it is aborted, with the reason of the signal and no process left', async () => {
  const abort = new AbortController()
  const of = await uploaded(
    { 'langgraph.json': '{}' },
    { install_command: 'echo $$ > pid; sleep 600' },
  )
  const running = builder().build(of, abort.signal)
  const pidFile = join(dir, 'data/revisions', REVISION, 'source/pid')
  await expect.poll(() => readFile(pidFile, 'utf8').catch(() => '')).toMatch(/\d+\n/)
  abort.abort(new Error('a newer revision is here'))
  await expect(running).rejects.toThrow('a newer revision is here')
  const pid = (await readFile(pidFile, 'utf8')).trim()
  await expect(access(`/proc/${pid}/cwd/`)).rejects.toThrow()
  expect(await builder().find(REVISION)).toBeUndefined()
})

describe('a project is installed', () => {
  const PART = {
    'part/package.json': '{"name":"part","version":"1.0.0","main":"index.js"}',
    'part/index.js': 'module.exports = 42',
    'langgraph.json': '{}',
  }

  it('with npm ci by its lock file, development packages included', async () => {
    const files = {
      ...PART,
      'package.json': JSON.stringify({
        name: 'demo',
        devDependencies: { part: 'file:part' },
        scripts: { postinstall: 'node -p "process.version" > version' },
      }),
      'package-lock.json': JSON.stringify({
        name: 'demo',
        lockfileVersion: 3,
        requires: true,
        packages: {
          '': { name: 'demo', devDependencies: { part: 'file:part' } },
          'node_modules/part': { resolved: 'part', link: true },
          part: { version: '1.0.0', dev: true },
        },
      }),
    }
    const secrets = [{ name: 'NODE_ENV', value: 'production' }]
    const built = await build(await uploaded(files, { secrets }))
    expect(await readFile(join(source(built), 'node_modules/part/index.js'), 'utf8')).toContain(
      '42',
    )
    expect(await readFile(join(source(built), 'version'), 'utf8')).toBe(`${process.version}\n`)
    expect(await log()).toContain('$ npm ci')
  })

  it('with npm install when there is no lock file', async () => {
    const files = { ...PART, 'package.json': '{"dependencies":{"part":"file:part"}}' }
    const built = await build(await uploaded(files))
    expect(await readdir(join(source(built), 'node_modules'))).toContain('part')
    expect(await log()).toContain('$ npm install')
  })

  it('not at all when npm refuses, and says what npm said', async () => {
    const files = {
      ...PART,
      'package.json': '{"dependencies":{"part":"file:part"}}',
      'package-lock.json': '{"lockfileVersion":3,"packages":{"":{}}}',
    }
    const error = await failure(await uploaded(files))
    expect(error.step).toBe('install')
    expect(error.logTail.join('\n')).toMatch(/npm (ci|error)/)
  })

  it('with pnpm by its lock file', { timeout: 120_000 }, async () => {
    const files = {
      'langgraph.json': '{}',
      'package.json': '{"name":"demo","scripts":{"postinstall":"echo done > mark"}}',
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n\nimporters:\n\n  .: {}\n",
    }
    const built = await build(await uploaded(files))
    expect(await readFile(join(source(built), 'mark'), 'utf8')).toBe('done\n')
  })

  it('with yarn 1 by its lock file', { timeout: 120_000 }, async () => {
    const files = {
      'langgraph.json': '{}',
      'package.json': '{"name":"demo","scripts":{"postinstall":"echo done > mark"}}',
      'yarn.lock': '# yarn lockfile v1\n',
    }
    const built = await build(await uploaded(files))
    expect(await readFile(join(source(built), 'mark'), 'utf8')).toBe('done\n')
  })

  it('with yarn 4 by its lock file, into node_modules', { timeout: 120_000 }, async () => {
    const files = {
      'langgraph.json': '{}',
      'package.json': '{"name":"demo"}',
      'yarn.lock': `# This file is generated by running "yarn install" inside your project.
# Manual changes might be lost - proceed with caution!

__metadata:
  version: 8
  cacheKey: 10c0

"demo@workspace:.":
  version: 0.0.0-use.local
  resolution: "demo@workspace:."
  languageName: unknown
  linkType: soft
`,
    }
    const built = await build(await uploaded(files))
    expect(await readdir(source(built))).not.toContain('.pnp.cjs')
    expect(await log()).toContain('Build succeeded.')
  })
})
