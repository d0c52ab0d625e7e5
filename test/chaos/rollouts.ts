/** A deployment on a real Runyard that is rolled out again and again, from a repository of its own. */
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Revision } from '../../client/src/client.ts'
import { fixtureProject } from '../support/agent/agent-server.ts'
import { createGitRepository, type GitRepository } from '../support/control-plane/git-repository.ts'
import { runNow } from '../support/processes/program.ts'
import type { TestRunyard } from '../support/processes/runyard.ts'

const MODULES = new URL('../../node_modules', import.meta.url).pathname
/** For agent servers of this machine: the packages of the clone. */
const LINKED = `mkdir node_modules && ln -s ${MODULES}/* node_modules`
const LOOK_MS = 100
const ASLEEP = { min_scale: 0, max_scale: 1 }

/** What the project does when it is loaded. */
const BREAKS = {
  dead: "throw new Error('dead')",
  stuck: 'await new Promise((resolve) => setTimeout(resolve, 3_600_000))',
  greedy: 'const taken = []; for (;;) taken.push(Buffer.alloc(8_000_000, 1))',
}
type Kind = 'good' | 'unbuildable' | keyof typeof BREAKS

interface Ways {
  /** One of `test/fixtures/projects`. */
  project?: string
  resource_spec?: Record<string, number>
  isInstalled?: boolean
  build_command?: string
}

/** A Runyard, in this process or not. */
type Asked = Pick<TestRunyard, 'call' | 'untilOver'>

interface Deployment {
  id: string
  latest_revision_id: string
  active_revision_id: string | null
}

export class RolledOut {
  readonly #repository: GitRepository
  readonly #name: string
  #path = ''
  #count = 0

  readonly #isInstalled: boolean
  readonly #buildCommand: string | undefined
  readonly #resources: Record<string, number>

  /** `isInstalled`: its packages are its own, as agent servers on other machines need them. */
  constructor(
    name: string,
    { project = 'echo', resource_spec = ASLEEP, isInstalled = false, build_command }: Ways = {},
  ) {
    this.#repository = createGitRepository(fixtureProject(project))
    this.#name = name
    this.#resources = resource_spec
    this.#isInstalled = isInstalled
    this.#buildCommand = build_command
    // With a lock file a build takes over what the one before has installed.
    if (isInstalled) this.#lock()
  }

  /** What a request makes the deployment from. */
  get request(): Record<string, unknown> {
    return {
      name: this.#name,
      source: 'github',
      source_config: {
        repo_url: this.#repository.url,
        ...(this.#isInstalled ? {} : { install_command: LINKED }),
        ...(this.#buildCommand && { build_command: this.#buildCommand }),
        resource_spec: this.#resources,
      },
      source_revision_config: { repo_ref: 'main', langgraph_config_path: 'langgraph.json' },
      secrets: [],
    }
  }

  /** Of the deployment, once it is created. */
  get path(): string {
    return this.#path
  }

  async create(runyard: Asked): Promise<Revision> {
    const made = (await runyard.call('POST', '/v2/deployments', this.request)).body as Deployment
    this.#path = `/v2/deployments/${made.id}`
    return runyard.untilOver(made)
  }

  /** Commits a change, rolls it out and answers the revision at its end. `source_config`: what changes of it too. */
  async rollOut(runyard: Asked, kind: Kind = 'good', source_config?: object) {
    this.#count += 1
    const undo = this.#commit(kind)
    const change = {
      ...(source_config && { source_config }),
      source_revision_config: { repo_ref: 'main' },
    }
    const made = (await runyard.call('PATCH', this.#path, change)).body as Deployment
    const revision = await runyard.untilOver(made)
    undo()
    return revision
  }

  /** The newest revision at its end. */
  async untilOver(runyard: Asked): Promise<Revision> {
    return runyard.untilOver((await runyard.call('GET', this.#path)).body as Deployment)
  }

  async rollBack(runyard: Asked): Promise<Revision> {
    const made = (await runyard.call('POST', `${this.#path}/rollback`, {})).body as Revision
    const id = this.#path.split('/').at(-1) ?? ''
    return runyard.untilOver({ id, latest_revision_id: made.id })
  }

  async untilAsleep(runyard: Asked): Promise<void> {
    for (;;) {
      const { body } = await runyard.call('GET', `${this.#path}/runtime`)
      if ((body as { state: string }).state === 'asleep') return
      await wait(LOOK_MS)
    }
  }

  remove(): void {
    this.#repository.remove()
  }

  #lock(): void {
    const file = 'package-lock.json'
    const cwd = fileURLToPath(this.#repository.url)
    const args = ['install', '--package-lock-only', '--no-audit', '--no-fund']
    runNow('npm', args, { cwd, timeoutMs: 120_000 })
    this.#repository.commit(file, this.#repository.read(file))
  }

  /** Answers how to make the project whole again. */
  #commit(kind: Kind): () => void {
    if (kind === 'good') {
      this.#repository.commit('version.txt', `${this.#count}\n`)
      return () => {}
    }
    const file = kind === 'unbuildable' ? 'langgraph.json' : 'model.ts'
    const whole = this.#repository.read(file)
    const broken = kind === 'unbuildable' ? '{' : `${BREAKS[kind]}\n${whole}`
    this.#repository.commit(file, broken)
    return () => void this.#repository.commit(file, whole)
  }
}
