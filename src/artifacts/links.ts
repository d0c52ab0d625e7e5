/** Which links of a built folder are packed, and as what. */
import { readlinkSync } from 'node:fs'
import { isAbsolute, posix } from 'node:path'

/**
 * The target of the link at `path` (from the top of the folder `root`) in the packed folder: relative, so that it works
 * wherever the folder lies. `undefined`: it leads out of the folder, and is left out.
 */
export function packedLink(root: string, path: string): string | undefined {
  const target = targetOf(posix.join(root, path))
  if (target === undefined) return undefined
  const own = posix.normalize(path)
  const reached = isAbsolute(target)
    ? posix.relative(root, target)
    : posix.join(posix.dirname(own), target)
  if (reached === '..' || reached.startsWith('../') || isAbsolute(reached)) return undefined
  return posix.relative(posix.dirname(own), reached) || '.'
}

/** The link may vanish meanwhile; nothing catches what the packer's callback throws. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
