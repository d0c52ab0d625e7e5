/** A real git repository made from a folder, for sources with a `file://` URL. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runNow } from '../processes/program.ts'

export interface GitRepository {
  /** `file://…` */
  url: string
  /** Writes a file and commits it; answers the commit's id. */
  commit(file: string, content: string): string
  /** A file as it is now. */
  read(file: string): string
  remove(): void
}

/** One commit on branch `main` with the folder's files, `node_modules` left out. */
export function createGitRepository(folder: string): GitRepository {
  const root = mkdtempSync(join(tmpdir(), 'runyard-git-'))
  cpSync(resolve(folder), root, {
    recursive: true,
    filter: (source) => !source.includes('node_modules'),
  })
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.test']
  const git = (...args: string[]) => runNow('git', ['-C', root, ...identity, ...args]).trim()
  const commitAll = (message: string) => {
    git('add', '--all')
    git('commit', '--quiet', '--message', message)
    return git('rev-parse', 'HEAD')
  }
  git('init', '--quiet', '--initial-branch', 'main')
  commitAll('first')
  return {
    url: pathToFileURL(root).href,
    commit(file, content) {
      writeFileSync(join(root, file), content)
      return commitAll(`change ${file}`)
    },
    read: (file) => readFileSync(join(root, file), 'utf8'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
