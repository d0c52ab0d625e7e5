/** Git's commands, as builds run them. */
import { BuildError } from '../../core/deployment/builds/build.ts'
import type { CommandEnd } from '../../core/deployment/builds/project-commands.ts'
import { runCommand } from '../command.ts'
import { reasonOf, type StepContext } from '../step.ts'
import type { RepositoryUrl } from './repository-url.ts'
import { type SshAccess, sshEnvironment } from './ssh-access.ts'

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
