/**
 * Passes pip's settings to uv, which does not read them: the file that `pip_config_file` names, and pip's variables.
 * uv's own variables take precedence.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { readSourceFile } from '../source-file.ts'

type Environment = Readonly<Record<string, string>>

/** uv's variable for each name of pip's, as in pip's file and, as `PIP_…`, in its environment. */
const NAMES: Readonly<Record<string, string>> = {
  'index-url': 'UV_DEFAULT_INDEX',
  'extra-index-url': 'UV_INDEX',
  'find-links': 'UV_FIND_LINKS',
  'no-index': 'UV_NO_INDEX',
  'trusted-host': 'UV_INSECURE_HOST',
  cert: 'SSL_CERT_FILE',
}

/**
 * Returns the variables to add. `env`: the existing ones. Throws `BuildError` for a file outside of the source, whose
 * top folder is `source`. Installers run in `root`.
 */
export async function installerSettings(
  { source, root, file }: { source: string; root: string; file: string | undefined },
  env: Environment,
): Promise<Environment> {
  const ofFile = file === undefined ? {} : readConfig((await readSourceFile(source, file)) ?? '')
  const added: Record<string, string> = file === undefined ? {} : { PIP_CONFIG_FILE: file }
  for (const [name, variable] of Object.entries(NAMES)) {
    const value = env[`PIP_${name.toUpperCase().replaceAll('-', '_')}`] ?? ofFile[name]
    if (value === undefined || env[variable] !== undefined || isTaken(variable, env)) continue
    const words = value
      .split(/\s+/)
      .filter((word) => name !== 'find-links' || isReachable(root, word))
    if (words.length > 0) added[variable] = words.join(name === 'find-links' ? ',' : ' ')
  }
  return added
}

/** Checks uv's older names too. */
function isTaken(variable: string, env: Environment): boolean {
  if (variable === 'UV_DEFAULT_INDEX') return env.UV_INDEX_URL !== undefined
  return variable === 'UV_INDEX' && env.UV_EXTRA_INDEX_URL !== undefined
}

/** pip passes over folders that are not there; uv refuses them. */
function isReachable(root: string, link: string): boolean {
  return link.includes('://') || existsSync(resolve(root, link))
}

/** The sections `global` and `install` of a file of pip's. A value may go on in lines further right. */
function readConfig(text: string): Record<string, string> {
  const sections: Record<string, Record<string, string>> = {}
  let section = ''
  let last = ''
  for (const line of text.split(/\r?\n/)) {
    const [, name] = /^\[([^\]]+)\]/.exec(line) ?? []
    const [, key, value] = /^([A-Za-z][\w-]*)\s*[=:]\s*(.*)$/.exec(line) ?? []
    if (/^\s*([#;]|$)/.test(line)) continue
    if (name !== undefined) section = name.trim()
    else if (key !== undefined) {
      last = key.toLowerCase().replaceAll('_', '-')
      sections[section] = { ...sections[section], [last]: value?.trim() ?? '' }
    } else if (/^\s/.test(line)) {
      const before = sections[section]?.[last] ?? ''
      sections[section] = { ...sections[section], [last]: `${before} ${line.trim()}`.trim() }
    }
  }
  return { ...sections.global, ...sections.install }
}
