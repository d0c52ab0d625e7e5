/** Checks whether an install from a `uv.lock` runs code of its packages. */
import { parse } from 'smol-toml'

/** What this file reads of a `uv.lock`. As read, so any field may be of another type. */
interface UvLock {
  package: {
    source: Record<string, unknown>
    sdist?: unknown
    wheels?: { url?: string }[]
  }[]
}

/**
 * Whether each package of the text of a `uv.lock` that is not the project's own comes from an index as a wheel, which
 * is only unpacked. Everything else is built, by code that may read any variable. `python`: a version such as `3.12.4`.
 */
export function hasOnlyWheels(lock: string, python: string): boolean {
  const fits = wheelsFor(python)
  try {
    const { package: packages } = parse(lock) as unknown as UvLock
    return packages
      .filter(({ source }) => !('editable' in source || 'virtual' in source))
      .every(({ source, sdist, wheels = [] }) => {
        const names = wheels.map(({ url }) => url ?? '')
        const isWheel =
          sdist === undefined ? names.length > 0 : names.some((name) => fits.test(name))
        return /^https?:/.test(String(source.registry)) && isWheel
      })
  } catch {
    return false
  }
}

/** Addresses of the wheels that a Python on this machine takes, by the tags in their names. */
function wheelsFor(python: string): RegExp {
  const [major, minor] = python.split('.')
  const cpython = `cp${major}${minor}`
  const older = Array.from({ length: Number(minor) + 1 }, (_, one) => one).join('|')
  const tags = `(?:py2\\.)?py3-none|${cpython}-(?:${cpython}|none)|cp3(?:${older})-abi3`
  const system = process.platform === 'darwin' ? 'macosx' : 'linux'
  const processor = process.arch === 'x64' ? 'x86_64' : '(?:aarch64|arm64)'
  return new RegExp(`-(?:${tags})-(?:any|.*${system}.*_(?:${processor}|universal2))\\.whl$`)
}
