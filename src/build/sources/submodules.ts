/** The submodules of a commit: which there are, and from where each may be fetched. */
import { posix } from 'node:path'

export interface Submodule {
  /** Its folder, from the top of the repository that has it. */
  path: string
  /** The commit that the repository names. */
  commit: string
  /** As written in `.gitmodules`; `undefined`: none. */
  url: string | undefined
  /** `update = none`: the repository does not want it to be fetched. */
  isLeftOut: boolean
}

type Settings = Readonly<Record<string, string>>

/** The settings of each path in `.gitmodules`. `text`: as `git config --list --null` prints it. */
export function readModules(text: string): Map<string, Settings> {
  const modules = new Map<string, Settings>()
  for (const line of text.split('\0')) {
    const [, name, key, value] = /^submodule\.(.+)\.([a-z]+)\n(.*)$/s.exec(line) ?? []
    if (name !== undefined) modules.set(name, { ...modules.get(name), [key ?? '']: value ?? '' })
  }
  return new Map([...modules.values()].flatMap((one) => (one.path ? [[one.path, one]] : [])))
}

/** The submodules of the commit. `entries`: as `git ls-tree -z` prints their paths. */
export function readSubmodules(modules: Map<string, Settings>, entries: string): Submodule[] {
  return entries.split('\0').flatMap((entry) => {
    const [, commit, path] = /^160000 commit ([0-9a-f]+)\t(.+)$/s.exec(entry) ?? []
    if (commit === undefined || path === undefined) return []
    const { url, update } = modules.get(path) ?? {}
    return [{ path, commit, url, isLeftOut: update === 'none' }]
  })
}

/**
 * The URL to fetch a submodule from, which has its repository's scheme and host; `undefined`: it lies elsewhere.
 * `repository` and `url` have the forms that `checkRepoUrl` takes; `url` may be relative to it.
 */
export function submoduleUrl(repository: string, url: string): string | undefined {
  const base = split(repository)
  if (/^\.\.?\//.test(url)) return base && beside(base, url)
  if (base?.place === 'file://' && url.startsWith('/')) return `file://${url}`
  const own = split(url)
  return own && base && own.server === base.server ? url : undefined
}

interface SplitUrl {
  /** What two URLs of one server have in common: its scheme and host. */
  server: string
  /** The part before the path. */
  place: string
  path: string
}

function split(url: string): SplitUrl | undefined {
  const [, user = '', host = '', path = ''] = /^([^/:@]+@)([^/:]+):(?!\/\/)(.*)$/.exec(url) ?? []
  if (host !== '') return { server: `ssh://${host}`, place: `${user}${host}:`, path }
  if (!URL.canParse(url)) return undefined
  const { protocol, host: server, pathname } = new URL(url)
  const place = url.slice(0, url.length - pathname.length)
  return url.endsWith(pathname)
    ? { server: `${protocol}//${server}`, place, path: pathname }
    : undefined
}

function beside({ place, path }: SplitUrl, way: string): string | undefined {
  const whole = posix.join(path.replace(/\/+$/, ''), way)
  return whole.startsWith('..') ? undefined : `${place}${whole}`
}
