import { once } from 'node:events'
import { access, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runNow } from '../../../test/support/processes/program.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { systemClock } from '../../core/clock.ts'
import { silentLog } from '../../core/log.ts'
import { openBuildLog } from '../build-log.ts'
import { DEFAULT_LIMITS, type StepContext } from '../step.ts'
import { fetchRepository } from './git.ts'

const WHO = {
  ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b.c' },
  ...{ GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b.c' },
}
const NO_SSH = { keyPath: undefined, knownHostsPath: '/dev/null' }

let dir: string
let context: StepContext
const commits: string[] = []

beforeEach(async () => {
  dir = temporaryFolder()
  const log = openBuildLog(join(dir, 'build.log'), systemClock, silentLog)
  const env = { PATH: process.env.PATH ?? '', HOME: dir }
  context = { log, signal: new AbortController().signal, limits: DEFAULT_LIMITS, env }
  commits.length = 0
  git('init', '--quiet', '--initial-branch=main')
  await commit('one')
  git('tag', '-a', 'v1', '-m', 'the first')
  git('branch', 'old/branch')
  await commit('two')
  await commit('three')
})
afterEach(async () => {
  await context.log.close()
})

function git(...args: string[]): string {
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@b.c', '-c', 'commit.gpgsign=false']
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null' }
  const repository = join(dir, 'repository')
  return runNow('git', [...who, ...init(args, repository)], { env }).trim()
}

/** Another repository, with one commit of these files and gitlinks. Answers the commit. */
async function other(
  name: string,
  files: Record<string, string>,
  links: Record<string, string> = {},
): Promise<string> {
  const folder = join(dir, name)
  const run = (...args: string[]) => {
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@b.c', '-C', folder]
    return runNow('git', [...who, ...args], { env: { PATH: process.env.PATH } }).trim()
  }
  await mkdir(folder, { recursive: true })
  run('init', '--quiet', '--initial-branch=main')
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  run('add', '--force', '.')
  for (const [path, id] of Object.entries(links)) {
    run('update-index', '--add', '--cacheinfo', `160000,${id},${path}`)
  }
  run('commit', '--quiet', '-m', 'x')
  return run('rev-parse', 'HEAD')
}

const module = (path: string, url: string, more = '') =>
  `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n${more}`

async function logged(): Promise<string> {
  await context.log.close()
  return readFile(join(dir, 'build.log'), 'utf8')
}

function init(args: string[], repository: string): string[] {
  return args[0] === 'init' ? [...args, repository] : ['-C', repository, ...args]
}

async function commit(text: string): Promise<void> {
  await writeFile(join(dir, 'repository/file'), text)
  git('add', '.')
  git('commit', '--quiet', '-m', text)
  commits.push(git('rev-parse', 'HEAD'))
}

async function fetched(repo_ref: string | null, repo_url = `file://${dir}/repository`) {
  const into = join(dir, 'source')
  await rm(into, { recursive: true, force: true })
  const request = { repo_url, repo_ref, isFileUrlAllowed: true, ssh: NO_SSH }
  const { id: sha } = await fetchRepository(request, into, context)
  return { sha, text: await readFile(join(into, 'file'), 'utf8'), files: await readdir(into) }
}

it('returns the author and the subject of the commit', async () => {
  await writeFile(join(dir, 'repository/file'), 'four')
  git('commit', '--quiet', '--all', '-m', 'Raise the limit – to 500\n\nA body.')
  const request = { repo_url: `file://${dir}/repository`, repo_ref: null, isFileUrlAllowed: true }
  const commit = await fetchRepository({ ...request, ssh: NO_SSH }, join(dir, 'source'), context)
  const id = git('rev-parse', 'HEAD')
  expect(commit).toEqual({ id, author: 'A', subject: 'Raise the limit – to 500' })
})

it('fetches the default branch when no ref is given', async () => {
  expect(await fetched(null)).toEqual({ sha: commits[2], text: 'three', files: ['file'] })
})

it.each(['old/branch', 'refs/heads/old/branch', 'refs/tags/v1', 'v1'])(
  'fetches the branch or tag %s',
  async (ref) => {
    expect(await fetched(ref)).toMatchObject({ sha: commits[0], text: 'one' })
  },
)

it('fetches a commit by its full or its short id', async () => {
  expect(await fetched(commits[1] ?? '')).toMatchObject({ sha: commits[1], text: 'two' })
  const short = commits[1]?.slice(0, 8) ?? ''
  expect(await fetched(short)).toMatchObject({ sha: commits[1], text: 'two' })
})

it('prefers a branch to a tag of the same name', async () => {
  git('branch', 'v1', commits[1] ?? '')
  expect(await fetched('v1')).toMatchObject({ text: 'two' })
})

it.each(['nowhere', 'refs/tags/v9', 'deadbeef', 'f'.repeat(40)])(
  'says that the repository has no %s',
  async (ref) => {
    const refusal = { step: 'fetch', message: expect.stringMatching(`repository.*${ref}`) }
    await expect(fetched(ref)).rejects.toMatchObject(refusal)
  },
)

it('says which repository is not there', async () => {
  const refusal = { step: 'fetch', message: expect.stringContaining('/nothing') }
  await expect(fetched(null, `file://${dir}/nothing`)).rejects.toMatchObject(refusal)
})

it.each(['--upload-pack=touch x', '-x', 'a..b', 'a b', 'a:b', '+a', 'x@{1}', 'a\nb', ''])(
  'does not take %j for a ref',
  async (ref) => {
    await expect(fetched(ref)).rejects.toMatchObject({ step: 'fetch' })
  },
)

it.each(['ext::sh -c touch% x', '--upload-pack=x', '/repository', 'http://a/b', 'fd::17', ''])(
  'does not take %j for a repository',
  async (url) => {
    await expect(fetched(null, url)).rejects.toMatchObject({ step: 'fetch' })
  },
)

it('takes file:// only where it is allowed', async () => {
  const repo_url = `file://${dir}/repository`
  const request = { repo_url, repo_ref: null, isFileUrlAllowed: false, ssh: NO_SSH }
  const fetching = fetchRepository(request, join(dir, 'source'), context)
  await expect(fetching).rejects.toThrow('needs an API key with role admin')
})

it('fetches submodules at the commits that are named, and those of submodules', async () => {
  const inner = await other('inner', { 'word.py': 'inner' })
  const library = await other(
    'library',
    { 'word.py': 'library', '.gitmodules': module('deep/inner', '../inner') },
    { 'deep/inner': inner },
  )
  // A branch that has the commit's name, and leads elsewhere.
  runNow('git', ['-C', join(dir, 'inner'), 'commit', '--quiet', '--allow-empty', '-m', 'later'], {
    env: { PATH: process.env.PATH, ...WHO },
  })
  runNow('git', ['-C', join(dir, 'inner'), 'update-ref', `refs/heads/${inner}`, 'HEAD'])
  await other(
    'app',
    { file: 'app', '.gitmodules': module('vendor/library', `${dir}/library`) },
    { 'vendor/library': library },
  )
  const { files, text } = await fetched(null, `file://${dir}/app`)
  expect({ files, text }).toEqual({ files: ['.gitmodules', 'file', 'vendor'], text: 'app' })
  const source = join(dir, 'source/vendor/library')
  expect((await readdir(source)).toSorted()).toEqual(['.gitmodules', 'deep', 'word.py'])
  expect(await readdir(join(source, 'deep/inner'))).toEqual(['word.py'])
  expect(await logged()).toContain(`Fetched file://${dir}/inner at commit ${inner}.`)
})

it('names submodules that lie elsewhere or are not wanted, and leaves their folders empty', async () => {
  const id = 'a'.repeat(40)
  const modules =
    module('a', 'https://user:secret@other.example/a.git') +
    module('b', `file://${dir}/nowhere`, '\tupdate = none\n') +
    '[submodule "c"]\n\tpath = c\n'
  await other('app', { file: 'app', '.gitmodules': modules }, { a: id, b: id, c: id })
  await fetched(null, `file://${dir}/app`)
  for (const name of ['a', 'b', 'c']) {
    expect(await readdir(join(dir, 'source', name))).toEqual([])
  }
  const log = await logged()
  expect(log).toContain('submodule a is not fetched')
  expect(log).toContain('https://other.example/a.git has another host or scheme')
  expect(log).toContain('submodule b is not fetched, and its folder is empty: .gitmodules says')
  expect(log).toContain('submodule c is not fetched, and its folder is empty: .gitmodules names')
  expect(log).not.toContain('secret')
})

it('says which submodule could not be fetched', async () => {
  const modules = module('lib', `file://${dir}/repository`)
  await other('app', { file: 'app', '.gitmodules': modules }, { lib: 'a'.repeat(40) })
  const fetching = fetched(null, `file://${dir}/app`)
  await expect(fetching).rejects.toMatchObject({ name: 'BuildError', step: 'fetch' })
  await expect(fetching).rejects.toThrow(/^The submodule lib: .*update = none/)
})

it('names the files that Git LFS keeps, and no others', async () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 5\n`
  await other('app', {
    ...{ file: 'app', 'models/.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' },
    ...{ 'models/a.bin': pointer, 'models/b.bin': 'small, and no pointer' },
  })
  await fetched(null, `file://${dir}/app`)
  expect(await logged()).toMatch(/models\/a\.bin is only a pointer[^\n]*\n$/)
})

it('runs no hook and reads no configuration of the machine', async () => {
  const hook = join(dir, 'hook-ran')
  const config = `[core]\n\tfsmonitor = "touch ${hook}; false"\n[init]\n\ttemplateDir = ${dir}\n`
  await writeFile(join(dir, '.gitconfig'), config)
  await fetched(null)
  await expect(access(hook)).rejects.toThrow()
})

it('hands credentials to the named server, and shows them nowhere', async () => {
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const pair = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert]
  runNow('openssl', ['req', '-x509', ...pair, ...subject])
  const seen: (string | undefined)[] = []
  const tls = { key: await readFile(key), cert: await readFile(cert) }
  const server = createServer(tls, (request, response) => {
    seen.push(request.headers.authorization)
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
  })
  await once(server.listen(0), 'listening')
  context = { ...context, env: { ...context.env, GIT_SSL_CAINFO: cert } }
  const url = `https://bot:pa%40ss-word@localhost:${(server.address() as AddressInfo).port}/a.git`
  const error = await fetched(null, url).catch((caught: unknown) => caught)
  server.close()
  expect(seen).toContain(`Basic ${Buffer.from('bot:pa@ss-word').toString('base64')}`)
  await context.log.close()
  const shown = `${error} ${JSON.stringify(error)} ${await readFile(join(dir, 'build.log'))}`
  expect(shown).toContain('localhost')
  expect(shown).not.toMatch(/pa(%40|@)ss-word/)
})
