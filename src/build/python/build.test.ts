/** Real installs, of real packages. */
import {
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { create } from 'tar'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { installHostPython, NO_PYTHON, uvOf } from '../../../test/support/hosts/python.ts'
import { runNow } from '../../../test/support/processes/program.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openFolderObjects } from '../../artifacts/folder-objects.ts'
import { systemClock } from '../../core/clock.ts'
import type { BuildError, BuildRequest, BuiltRevision } from '../../core/deployment/builds/build.ts'
import {
  EMPTY_REVISION_CONFIG,
  EMPTY_SOURCE_CONFIG,
  type SourceConfig,
} from '../../core/deployment/sources/config.ts'
import { silentLog } from '../../core/log.ts'
import { checkProjectConfig } from '../../project/config.ts'
import { createBuilder } from '../builder.ts'
import { localProject } from '../local-project.ts'
import type { BuilderOptions } from '../options.ts'
import { createTarballs } from '../tarballs.ts'

const PASSED_ON = /^(NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|HOME|PATH|https?_proxy)$/i
/** To compile LangGraph takes twice the processor time that it takes to install it. */
const NOT_COMPILED = { UV_COMPILE_BYTECODE: '0', PIP_NO_COMPILE: '1' }
const skipped = NO_PYTHON ? ` (skipped: ${NO_PYTHON})` : ''
const never = new AbortController().signal

let uv: string
beforeAll(async () => {
  if (!NO_PYTHON) uv = uvOf(await installHostPython())
}, 240_000)

let dir: string
let builds = 0
beforeEach(async () => {
  // Behind a link, as a data folder may be.
  const real = temporaryFolder()
  dir = `${real}-link`
  await symlink(real, dir)
})
afterEach(async () => {
  await rm(await realpath(dir), { recursive: true, force: true })
  await rm(dir)
})

interface Project {
  /** What is in `langgraph.json` beside the graph. */
  config?: object
  files: Record<string, string>
  commands?: Partial<Pick<SourceConfig, 'install_command' | 'build_command'>>
  env?: Record<string, string>
  of?: Partial<Pick<BuildRequest, 'deployment_id' | 'workspace_id'>>
  options?: Partial<BuilderOptions>
}

const GRAPHS = { graphs: { agent: './agent.py:graph' } }
const BUILD_SYSTEM =
  '[build-system]\nrequires = ["setuptools>=77"]\nbuild-backend = "setuptools.build_meta"\n'
const SOURCES = '[tool.uv.sources]\nlib = { workspace = true }\n'
const pyproject = (dependencies: string[], more = '') =>
  `[project]\nname = "my-agent"\nversion = "0.1.0"\nrequires-python = ">=3.11"\n` +
  `dependencies = ${JSON.stringify(dependencies)}\n${more}`

async function write(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

/** Packs the project, builds it, and answers what became of it with the log. */
async function build({ config, files, commands, env, of, options }: Project) {
  builds += 1
  const revision_id = `revision-${builds}`
  const project = join(dir, `project-${builds}`)
  const all = {
    'langgraph.json': JSON.stringify({ ...GRAPHS, ...config }),
    'agent.py': '',
    ...files,
  }
  await write(project, all)
  const data = join(dir, 'data')
  const packed = create({ gzip: true, cwd: project }, ['.'])
  const source_tarball_path = 'd/source.tar.gz'
  const tarball = packed as unknown as AsyncIterable<Uint8Array>
  const tarballs = createTarballs({ dir: data, objects: openFolderObjects({ root: data }) })
  await tarballs.receive(source_tarball_path, tarball)
  const request: BuildRequest = {
    revision_id,
    deployment_id: '00000000-0000-4000-8000-000000000001',
    source: 'internal_source',
    source_config: { ...EMPTY_SOURCE_CONFIG, ...commands },
    source_revision_config: { ...EMPTY_REVISION_CONFIG, source_tarball_path },
    secrets: [],
    ...of,
  }
  const passedOn = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name))
  const builder = createBuilder({
    dir: data,
    tarballs,
    checkConfig: checkProjectConfig,
    checkPackages: async () => [],
    ownNode: dirname(process.execPath),
    env: { ...(Object.fromEntries(passedOn) as Record<string, string>), ...NOT_COMPILED, ...env },
    uv,
    clock: systemClock,
    log: silentLog,
    ...options,
  })
  const ended = await builder.build(request, never).catch((error: BuildError) => error)
  const log = await readFile(join(data, 'revisions', revision_id, 'build.log'), 'utf8')
  return { ended, log, source: join(data, 'revisions', revision_id, 'source'), builder }
}

/** Of a build that has ended well: its Python. */
function pythonOf(ended: BuiltRevision | Error, data = join(dir, 'data')): string {
  if (ended instanceof Error) throw ended
  if (ended.artifact.kind !== 'folder') throw new Error('It is no folder.')
  const { python } = localProject(data, ended.artifact)
  if (!python) throw new Error('It has no Python.')
  return python.path
}

/** What a script prints in the environment that was built. */
const run = (python: string, script: string) => runNow(python, ['-c', script], { cwd: '/' }).trim()

const VERSION = 'import importlib.metadata as m; print(m.version("langgraph"))'

describe.skipIf(NO_PYTHON)(`a build of a project in Python${skipped}`, { timeout: 240_000 }, () => {
  it('installs what uv.lock says, once, and the project in its place', async () => {
    const project = {
      'pyproject.toml': pyproject(['langgraph==1.2.22'], BUILD_SYSTEM),
      'src/my_agent/__init__.py': 'NAME = "one"',
    }
    const folder = join(dir, 'locking')
    await mkdir(folder)
    await writeFile(join(folder, 'pyproject.toml'), project['pyproject.toml'])
    runNow(uv, ['lock', '--quiet'], { cwd: folder })
    const files = { ...project, 'uv.lock': await readFile(join(folder, 'uv.lock'), 'utf8') }

    const first = await build({ files, config: { dependencies: ['.'] } })
    expect(run(pythonOf(first.ended), VERSION)).toBe('1.2.22')
    expect(first.log).toMatch(/ \+ langgraph==1\.2\.22$/m)
    expect(first.log).toMatch(/ LangGraph: 1\.2\.22 \(Python\)\.$/m)

    const changed = {
      ...files,
      'src/my_agent/__init__.py': 'NAME = "two"',
      '.venv/bin/python': 'of the project',
    }
    const again = await build({ files: changed, config: { dependencies: ['.'] } })
    expect(again.log).toContain(
      'Nothing to install: the packages of an earlier build are the same.',
    )
    expect(again.log).not.toMatch(/ \+ langgraph/)
    const name = 'import my_agent; print(my_agent.NAME)'
    expect(run(pythonOf(first.ended), name)).toBe('one')
    expect(run(pythonOf(again.ended), name)).toBe('two')

    await rename(join(dir, 'data'), join(dir, 'moved'))
    const moved = pythonOf(again.ended, join(dir, 'moved'))
    expect(run(moved, `${VERSION}; ${name}`)).toBe('1.2.22\ntwo')
    // A program that a package has brought finds its Python beside itself.
    const program = join(dirname(moved), 'distro')
    expect(runNow(program)).toMatch(/^Name:/m)

    // What no lock file decides about is asked of the index, once.
    const loose = { dependencies: ['.', 'colorama==0.0.99'] }
    await rename(join(dir, 'moved'), join(dir, 'data'))
    const beside = await build({ files: changed, config: loose })
    expect(beside.log).toContain('Nothing to install')
    expect(beside.log.match(/\$ uv pip install colorama==0\.0\.99$/gm)).toHaveLength(1)
    expect(beside.log).not.toContain('network was disabled')
  })

  it('copies the packages of another deployment, and asks the index to build the project', async () => {
    const project = {
      'pyproject.toml': pyproject(['langgraph==1.2.22'], BUILD_SYSTEM),
      'src/my_agent/__init__.py': '',
    }
    const folder = join(dir, 'locking')
    await write(folder, project)
    runNow(uv, ['lock', '--quiet'], { cwd: folder })
    const files = { ...project, 'uv.lock': await readFile(join(folder, 'uv.lock'), 'utf8') }
    const buildOf = (deployment_id: string) =>
      build({
        files,
        config: { dependencies: ['.'] },
        of: { deployment_id, workspace_id: 'workspace' },
        // As in a sandbox, where each deployment has a home of its own.
        env: { XDG_CACHE_HOME: join(dir, 'caches', deployment_id) },
      })
    await buildOf('first')
    const { ended, log } = await buildOf('second')
    expect(log).toContain('Nothing to install: the packages of another deployment are the same.')
    expect(log.match(/\$ uv sync --locked$/gm)).toHaveLength(1)
    expect(run(pythonOf(ended), VERSION)).toBe('1.2.22')
  })

  it('resolves pyproject.toml, and finds packages that lie flat, wherever the folder is', async () => {
    const mapped =
      '[tool.setuptools]\npackages = ["tools"]\npackage-dir = {"tools" = "code/tools"}\n'
    const { ended, log } = await build({
      files: {
        'pyproject.toml': pyproject(['langgraph>=1.0,<2'], BUILD_SYSTEM + mapped),
        'code/tools/__init__.py': 'NAME = "tools"',
        '.venv/bin/python': 'of the project',
      },
      config: { dependencies: ['.'] },
    })
    const name = 'import tools; print(tools.NAME)'
    expect(run(pythonOf(ended), name)).toBe('tools')
    expect(log).toContain('The packages are not kept for the next build: there is no uv.lock.')
    await rename(join(dir, 'data'), join(dir, 'moved'))
    expect(run(pythonOf(ended, join(dir, 'moved')), name)).toBe('tools')
  })

  it('installs requirements.txt, packages that are named, and by an own command', async () => {
    const { ended } = await build({
      files: { 'requirements.txt': 'langgraph==1.2.22\n' },
      config: { dependencies: ['.', 'colorama==0.4.6'] },
    })
    const both = `${VERSION}; import colorama; print(colorama.__version__)`
    expect(run(pythonOf(ended), both)).toBe('1.2.22\n0.4.6')

    const own = await build({
      files: {},
      commands: {
        install_command:
          'uv pip install -q langgraph==1.2.22 && pip --version && which python > which',
      },
    })
    expect(run(pythonOf(own.ended), VERSION)).toBe('1.2.22')
    const which = await readFile(join(own.source, 'which'), 'utf8')
    expect(which.trim()).toBe(join(await realpath(own.source), '.venv/bin/python'))
    expect(own.log).toMatch(/ pip \S+ from \S+\/\.venv\//)
  })

  it('installs nothing anew where every requirement has a hash', async () => {
    const wanted = join(dir, 'requirements.in')
    await writeFile(wanted, 'langgraph==1.2.22')
    const compile = ['pip', 'compile', '--quiet', '--generate-hashes', '--no-header', wanted]
    const lock = runNow(uv, compile)
    const project = { files: { 'requirements.txt': lock }, config: { dependencies: ['.'] } }
    expect((await build(project)).log).toMatch(/ \+ langgraph==1\.2\.22$/m)
    const { ended, log } = await build(project)
    expect(log).toContain('Nothing to install')
    expect(run(pythonOf(ended), VERSION)).toBe('1.2.22')
  })

  it('installs the member of a workspace that is meant, by its folder or by its name', async () => {
    const member = (name: string, dependencies: string[]) =>
      pyproject(dependencies, SOURCES + BUILD_SYSTEM).replace('my-agent', name)
    const files = {
      'pyproject.toml': '[tool.uv.workspace]\nmembers = ["agent", "lib"]\n',
      'agent/pyproject.toml': member('agent', ['langgraph==1.2.22', 'lib']),
      'agent/src/agent_code/__init__.py': '',
      'lib/pyproject.toml': member('lib', []),
      'lib/src/lib/__init__.py': 'NAME = "lib"',
    }
    const folder = join(dir, 'locking')
    await write(folder, files)
    runNow(uv, ['lock', '--quiet'], { cwd: folder })
    const locked = { ...files, 'uv.lock': await readFile(join(folder, 'uv.lock'), 'utf8') }
    const look = `${VERSION}; import lib; print(lib.NAME)`
    const byFolder = await build({ files: locked, config: { dependencies: ['./agent'] } })
    expect(byFolder.log).toMatch(/ \+ langgraph==1\.2\.22$/m)
    expect(run(pythonOf(byFolder.ended), look)).toBe('1.2.22\nlib')
    const source = { kind: 'uv', root: '.', package: 'agent' }
    const byName = await build({ files: locked, config: { source } })
    expect(run(pythonOf(byName.ended), look)).toBe('1.2.22\nlib')
  })

  it('installs with pip where langgraph.json says so', async () => {
    const { ended, log } = await build({
      files: { 'requirements.txt': 'langgraph==1.2.22\n' },
      config: { pip_installer: 'pip' },
    })
    expect(log).toMatch(/ \$ pip install --requirement requirements\.txt$/m)
    expect(run(pythonOf(ended), VERSION)).toBe('1.2.22')
  })

  it('installs both languages of a project', async () => {
    const { ended, log, source } = await build({
      config: { graphs: { ...GRAPHS.graphs, other: './other.js:graph' } },
      files: {
        'requirements.txt': 'langgraph==1.2.22\n',
        'other.js': '',
        'package.json': '{"name":"top","dependencies":{"tool":"file:tool"}}',
        'tool/package.json': '{"name":"tool","version":"1.0.0"}',
      },
    })
    expect(run(pythonOf(ended), VERSION)).toBe('1.2.22')
    expect(await readdir(join(source, 'node_modules'))).toContain('tool')
    expect(log).toMatch(/Node: [\d.]+, Runyard's own/)
  })

  const STALE_LOCK =
    'version = 1\nrevision = 2\nrequires-python = ">=3.11"\n\n' +
    '[[package]]\nname = "my-agent"\nversion = "0.1.0"\nsource = { virtual = "." }\n'

  it.each([
    ['is older than pyproject.toml', STALE_LOCK],
    ['is none', 'no lock'],
    ['is of another platform', `${STALE_LOCK}supported-markers = ["sys_platform == 'darwin'"]\n`],
  ])('passes over a uv.lock that %s, with a warning', async (_, lock) => {
    const files = { 'pyproject.toml': pyproject(['langgraph==1.2.22']), 'uv.lock': lock }
    const { ended, log } = await build({ files, config: { dependencies: ['.'] } })
    expect(run(pythonOf(ended), VERSION)).toBe('1.2.22')
    expect(log).toContain('Warning: uv.lock does not fit the project')
  })

  it('fetches uv where the machine has none', async () => {
    const project = {
      files: { 'requirements.txt': 'langgraph==1.2.22\n' },
      options: { uv: 'no-uv' },
    }
    const { ended, log } = await build(project)
    expect(log).toMatch(/\$ pip install uv==/)
    expect(run(pythonOf(ended), VERSION)).toBe('1.2.22')
    expect(await readdir(join(dir, 'data/uvs'))).toHaveLength(1)
  })

  describe('says why it failed:', () => {
    const failed = async (project: Project) => {
      const { ended } = await build(project)
      expect(ended).toMatchObject({ name: 'BuildError' })
      const { step, message, logTail } = ended as BuildError
      return `${step}: ${message}\n${logTail.join('\n')}`
    }

    it('a requirement that cannot be met', async () => {
      const files = { 'requirements.txt': 'langgraph==1.2.22\nlangchain-core<0.1\n' }
      const reason = await failed({ files })
      expect(reason).toMatch(
        /^install: .*langgraph.* \(`uv pip install --requirement requirements\.txt` ended with/,
      )
      expect(reason).toMatch(/No solution found[\s\S]*depends on langchain-core/)
    })

    it('a Python that is nowhere', async () => {
      const project = pyproject(['langgraph']).replace('>=3.11', '>=3.99')
      const reason = await failed({ files: { 'pyproject.toml': project } })
      expect(reason).toMatch(
        /^configuration: pyproject\.toml requires >=3\.99: that Python is not on/,
      )
      expect(reason).toMatch(/There are .*3\.\d+\.\d+/)
    })

    it('a uv.lock that does not fit, where the project asks for it', async () => {
      const reason = await failed({
        files: { 'pyproject.toml': pyproject(['langgraph==1.2.22']), 'uv.lock': STALE_LOCK },
        config: { source: { kind: 'uv' } },
      })
      expect(reason).toMatch(/^install: .*lock.* \(`uv sync --locked/)
    })

    it('a package that cannot be had, though the lock fits: the lock is not passed over', async () => {
      const lock =
        'version = 1\nrevision = 3\nrequires-python = ">=3.11"\n\n' +
        '[[package]]\nname = "gone"\nversion = "1.0"\nsource = { registry = "http://127.0.0.1:9/simple" }\n' +
        'wheels = [{ url = "http://127.0.0.1:9/gone-1.0-py3-none-any.whl", hash = "sha256:' +
        `${'0'.repeat(64)}" }]\n\n` +
        '[[package]]\nname = "my-agent"\nversion = "0.1.0"\nsource = { virtual = "." }\n' +
        'dependencies = [{ name = "gone" }]\n\n[package.metadata]\nrequires-dist = [{ name = "gone", specifier = "==1.0" }]\n'
      const { ended, log } = await build({
        files: { 'pyproject.toml': pyproject(['gone==1.0']), 'uv.lock': lock },
        env: { UV_HTTP_RETRIES: '0' },
      })
      expect(ended).toMatchObject({ step: 'install' })
      expect(log).not.toContain('Warning: uv.lock')
    })

    it('a folder outside of the source', async () => {
      const reason = await failed({ files: {}, config: { dependencies: ['.', '..'] } })
      expect(reason).toMatch(/^configuration: langgraph\.json: "dependencies": "\.\." leads out of/)
    })

    it('no LangGraph', async () => {
      const reason = await failed({ files: { 'requirements.txt': 'colorama==0.4.6' } })
      expect(reason).toMatch(/^install: The project has no LangGraph: add "langgraph>=1\.0" to/)
    })

    it('a LangGraph that is too old', async () => {
      const info = '"$VIRTUAL_ENV"/lib/python3.*/site-packages'
      const install_command = `cd ${info} && mkdir langgraph-0.6.11.dist-info`
      const reason = await failed({ files: {}, commands: { install_command } })
      expect(reason).toMatch(
        /^install: The project has LangGraph 0\.6\.11, and Runyard needs 1\.0 or/,
      )
    })

    it('an index that does not answer, which the settings of pip name', async () => {
      const index = 'http://127.0.0.1:9/simple'
      const reason = await failed({
        files: {
          'pip.conf': `[global]\nindex-url = ${index}\n`,
          'requirements.txt': 'langgraph==1.2.22\n',
        },
        config: { pip_config_file: './pip.conf' },
        env: { UV_HTTP_RETRIES: '0' },
      })
      expect(reason).toContain(`${index}/langgraph`)
    })

    it('neither uv nor a Python', async () => {
      const options = { uv: 'no-uv' }
      const reason = await failed({ files: {}, options, env: { PATH: '/nowhere' } })
      expect(reason).toMatch(/^install: uv, which installs for Python, is not on this machine/)
    })
  })
})
