import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  NO_SSH_SERVER,
  type SshServer,
  startSshServer,
} from '../../../test/support/control-plane/ssh-server.ts'
import { runNow } from '../../../test/support/processes/program.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { systemClock } from '../../core/clock.ts'
import { silentLog } from '../../core/log.ts'
import { openBuildLog } from '../build-log.ts'
import { DEFAULT_LIMITS, type StepContext } from '../step.ts'
import { fetchRepository } from './git.ts'
import { withSshAccess } from './git-command.ts'

const skipped = NO_SSH_SERVER ? ` (skipped: ${NO_SSH_SERVER})` : ''

describe.skipIf(NO_SSH_SERVER)(`a repository over ssh${skipped}`, () => {
  let dir: string
  let context: StepContext
  let server: SshServer
  let fetches = 0

  beforeEach(async () => {
    // A space in the path: what git hands to ssh goes through a shell.
    dir = join(temporaryFolder(), 'ssh access')
    await mkdir(dir)
    const log = openBuildLog(join(dir, 'build.log'), systemClock, silentLog)
    const env = { PATH: process.env.PATH ?? '', HOME: dir, SSH_AUTH_SOCK: '/nowhere' }
    context = { log, signal: new AbortController().signal, limits: DEFAULT_LIMITS, env }
    server = await startSshServer(join(dir, 'server'))
    const repository = join(dir, 'repository')
    const git = (...args: string[]) => runNow('git', ['-c', 'user.name=A', ...args])
    git('init', '--quiet', '--initial-branch=main', repository)
    await writeFile(join(repository, 'file'), 'over ssh')
    git('-C', repository, 'add', '.')
    git('-C', repository, '-c', 'user.email=a@b.c', 'commit', '--quiet', '-m', 'one')
    git('-C', repository, 'tag', 'v1')
  })
  afterEach(async () => {
    await server.stop()
    await context.log.close()
  })

  function fetched(key: string | undefined, repo_ref: string | null = null): Promise<string> {
    fetches += 1
    const into = join(dir, `source-${fetches}`)
    const repo_url = `${server.url}${encodeURI(dir)}/repository`
    return withSshAccess(dir, key, async (ssh) => {
      await fetchRepository({ repo_url, repo_ref, isFileUrlAllowed: false, ssh }, into, context)
      return readFile(join(into, 'file'), 'utf8')
    })
  }

  it.each([null, 'main', 'v1'])('comes with the deploy key, at %s', async (repo_ref) => {
    expect(await fetched(server.key, repo_ref)).toBe('over ssh')
  })

  it('comes with a key whose lines end as on Windows, the last one not at all', async () => {
    expect(await fetched(server.key.trim().replaceAll('\n', '\r\n'))).toBe('over ssh')
  })

  it('does not come without the key, or with another', async () => {
    const other = await startSshServer(join(dir, 'other'))
    await other.stop()
    for (const key of [undefined, other.key]) {
      await expect(fetched(key)).rejects.toMatchObject({
        step: 'fetch',
        message: expect.stringContaining('Permission denied'),
      })
    }
  })

  it('does not come from a host that shows another key than the first time', async () => {
    await fetched(server.key)
    const port = Number(new URL(server.url).port)
    await server.stop()
    server = await startSshServer(join(dir, 'server'), port)
    await expect(fetched(server.key)).rejects.toThrow('verification failed')
  })

  it('leaves the key nowhere', async () => {
    await fetched(server.key)
    expect(await readdir(join(dir, 'unfinished'))).toEqual([])
    await context.log.close()
    expect(await readFile(join(dir, 'build.log'), 'utf8')).not.toContain('PRIVATE KEY')
  })
})
