/** A deployment on a real Runyard that is rolled out again and again, from a repository of its own. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Revision } from '../../client/src/client.ts'
import { fixtureProject } from '../support/agent-server.ts'
import { createGitRepository } from '../support/git-repository.ts'
import type { TestRunyard } from '../support/runyard.ts'

const MODULES = new URL('../../node_modules', import.meta.url).pathname
const LOOK_MS = 100

interface Deployment {
  id: string
  latest_revision_id: string
  active_revision_id: string | null
}

export class RolledOut {
  readonly #repository = createGitRepository(fixtureProject('echo'))
  readonly #name: string
  #path = ''
  #count = 0

  constructor(name: string) {
    this.#name = name
  }

  /** What a request makes the deployment from; its packages are those of the clone. */
  get request(): Record<string, unknown> {
    return {
      name: this.#name,
      source: 'github',
      source_config: {
        repo_url: this.#repository.url,
        install_command: `mkdir node_modules && ln -s ${MODULES}/* node_modules`,
        resource_spec: { min_scale: 0, max_scale: 1 },
      },
      source_revision_config: { repo_ref: 'main', langgraph_config_path: 'langgraph.json' },
      secrets: [],
    }
  }

  async create(runyard: TestRunyard): Promise<Revision> {
    const made = (await runyard.call('POST', '/v2/deployments', this.request)).body as Deployment
    this.#path = `/v2/deployments/${made.id}`
    return runyard.untilOver(made)
  }

  /** Commits a change, rolls it out and answers the revision at its end. */
  async rollOut(runyard: TestRunyard, kind: 'good' | 'unbuildable' | 'dead' = 'good') {
    this.#count += 1
    const undo = this.#commit(kind)
    const change = { source_revision_config: { repo_ref: 'main' } }
    const made = (await runyard.call('PATCH', this.#path, change)).body as Deployment
    const revision = await runyard.untilOver(made)
    undo()
    return revision
  }

  async rollBack(runyard: TestRunyard): Promise<Revision> {
    const made = (await runyard.call('POST', `${this.#path}/rollback`, {})).body as Revision
    const id = this.#path.split('/').at(-1) ?? ''
    return runyard.untilOver({ id, latest_revision_id: made.id })
  }

  async untilAsleep(runyard: TestRunyard): Promise<void> {
    for (;;) {
      const { body } = await runyard.call('GET', `${this.#path}/runtime`)
      if ((body as { state: string }).state === 'asleep') return
      await wait(LOOK_MS)
    }
  }

  remove(): void {
    this.#repository.remove()
  }

  /** Answers how to make the project whole again. */
  #commit(kind: 'good' | 'unbuildable' | 'dead'): () => void {
    if (kind === 'good') {
      this.#repository.commit('version.txt', `${this.#count}\n`)
      return () => {}
    }
    const file = kind === 'unbuildable' ? 'langgraph.json' : 'model.ts'
    const whole = this.#repository.read(file)
    const broken = kind === 'unbuildable' ? '{' : `throw new Error('dead')\n${whole}`
    this.#repository.commit(file, broken)
    return () => void this.#repository.commit(file, whole)
  }
}
