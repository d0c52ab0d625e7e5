/**
 * Git's commands, as builds run them: with the credentials of the repository's URL, and over ssh with the deployment's
 * own key and nothing else.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BuildError } from '../../core/deployment/builds/build.ts'
import type { CommandEnd } from '../../core/deployment/builds/project-commands.ts'
import { runCommand } from '../command.ts'
import { knownHostsPath, unfinishedFolder } from '../layout.ts'
import { reasonOf, type StepContext } from '../step.ts'

/** git's answer to `get` of the credential protocol, without the values on a command line. */
const CREDENTIAL_HELPER =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" ' +
  '"$BUILD_GIT_USERNAME" "$BUILD_GIT_PASSWORD"; }; f'

export interface Git {
  run(args: string[], title: string): Promise<void>
  /** Returns the standard output, which does not go to the log. */
  answer(args: string[], title: string): Promise<string>
}

export function createGit(cwd: string, env: Record<string, string>, context: StepContext): Git {
  const execute = async (args: string[], title: string, isCaptured: boolean) => {
    const end = await runCommand(['git', ...args], {
      cwd,
      env,
      signal: context.signal,
      limitMs: context.limits.fetchMs,
      maxMemoryBytes: context.limits.maxMemoryBytes,
      onLine: (line) => context.log.line(line),
      isCaptured,
    })
    refuseFailure(end, title, context)
    return end.stdout
  }
  return {
    run: async (args, title) => {
      await execute(args, title, false)
    },
    answer: (args, title) => execute(args, title, true),
  }
}

/** The lines that say why git failed. Those of ssh come first, since they say more than git's own. */
const REASON =
  /^(error|remote):|^fatal: (?!Could not read from remote)|Permission denied|verification failed/

function refuseFailure(end: CommandEnd, title: string, context: StepContext): void {
  const reason = reasonOf(end, context.limits.fetchMs, context.limits)
  if (!reason) return
  const logTail = context.log.tail()
  const said = logTail.findLast((line) => REASON.test(line))
  const why = said ? `: ${said}` : ''
  throw new BuildError('fetch', `git ${title} ${reason}${why}`, { logTail })
}

/**
 * The environment of git's commands: no configuration of the machine or its user, no hooks, no questions, and only the
 * protocols that are allowed.
 */
export function gitEnvironment(
  repository: RepositoryUrl,
  { isFileUrlAllowed, ssh }: { isFileUrlAllowed: boolean; ssh: SshAccess },
  context: StepContext,
): Record<string, string> {
  const config: [string, string][] = [
    // The URL comes by the environment, so that git cannot take it for an option.
    ['remote.origin.url', repository.url],
    ['core.hooksPath', '/dev/null'],
    ['core.attributesFile', '/dev/null'],
    ['advice.detachedHead', 'false'],
    ['credential.helper', ''],
    ['gc.auto', '0'],
  ]
  if (repository.credentials) {
    config.push([`credential.${new URL(repository.url).origin}.helper`, CREDENTIAL_HELPER])
  }
  return {
    ...context.env,
    ...configVariables(config),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    ...sshEnvironment(ssh),
    GIT_ALLOW_PROTOCOL: isFileUrlAllowed ? 'https:ssh:git:file' : 'https:ssh:git',
    BUILD_GIT_USERNAME: repository.credentials?.username ?? '',
    BUILD_GIT_PASSWORD: repository.credentials?.password ?? '',
  }
}

function configVariables(config: [string, string][]): Record<string, string> {
  const entries = config.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ])
  return { ...Object.fromEntries(entries), GIT_CONFIG_COUNT: String(config.length) }
}

export interface RepositoryUrl {
  /** Without credentials: may be shown, logged and put on a command line. */
  url: string
  /** For https only; handed to git through a credential helper. */
  credentials: { username: string; password: string } | undefined
}

/** Of a URL that `checkRepoUrl` takes. */
export function splitCredentials(text: string): RepositoryUrl {
  // `user@host:path` holds no password.
  if (!URL.canParse(text)) return { url: text, credentials: undefined }
  const url = new URL(text)
  const username = decode(url.username)
  const password = decode(url.password)
  url.password = ''
  if (url.protocol !== 'ssh:') url.username = ''
  const isNeeded = url.protocol === 'https:' && (username !== '' || password !== '')
  return { url: url.href, credentials: isNeeded ? { username, password } : undefined }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export interface SshAccess {
  /** The private key's file; `undefined`: there is none, and only a public server lets git in. */
  keyPath: string | undefined
  /** Where the keys of hosts are remembered: a host that was seen once must show the same again. */
  knownHostsPath: string
}

/**
 * Calls `work` with a deployment's access. Meanwhile the key lies in a file that only this user can read; after a crash
 * the next start removes it.
 */
export async function withSshAccess<T>(
  dir: string,
  deployKey: string | undefined,
  work: (access: SshAccess) => Promise<T>,
): Promise<T> {
  const folder = join(unfinishedFolder(dir), randomUUID())
  const keyPath = deployKey === undefined ? undefined : join(folder, 'deploy-key')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    if (keyPath) await writeFile(keyPath, keyText(deployKey ?? ''), { mode: 0o600 })
    return await work({ keyPath, knownHostsPath: knownHostsPath(dir) })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * The environment in which git starts ssh. Paths are passed as variables: git hands the command to a shell. The
 * machine's own keys, agents and settings are not used: they are not the deployment's.
 */
function sshEnvironment(access: SshAccess): Record<string, string> {
  const options = [
    'BatchMode=yes',
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'StrictHostKeyChecking=accept-new',
    'GlobalKnownHostsFile=/dev/null',
    `UserKnownHostsFile=\\"$BUILD_KNOWN_HOSTS\\"`,
    access.keyPath ? `IdentityFile=\\"$BUILD_DEPLOY_KEY\\"` : 'IdentityFile=none',
  ]
  return {
    GIT_SSH_COMMAND: ['ssh -F /dev/null', ...options.map((one) => `-o "${one}"`)].join(' '),
    GIT_SSH_VARIANT: 'ssh',
    BUILD_KNOWN_HOSTS: access.knownHostsPath,
    BUILD_DEPLOY_KEY: access.keyPath ?? '',
  }
}

/** OpenSSH takes no key whose last line is not ended, nor one with the line ends of Windows. */
function keyText(key: string): string {
  return `${key.replaceAll('\r\n', '\n').trim()}\n`
}
