/** The order of the test files: those that take minutes begin first, so that none of them runs on alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What a fresh clone cannot know from an earlier run, the longest first: each took 90 s or more on two busy cores. */
const LONGEST = [
  'e2e/tutorial',
  'build/python/build',
  'e2e/package',
  'e2e/project-node',
  'e2e/dashboard-studio',
  'test/docs',
  'e2e/dashboard-deployments',
  'e2e/npm-start',
  'e2e/official-cli',
  'e2e/dev',
  'e2e/dashboard-history',
  'examples/agents',
  'e2e/dashboard-runs',
  'e2e/cli',
  'e2e/langgraph-lines',
  'e2e/python-fatal-graphs',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files)
    return others.toSorted((one, other) => rank(one) - rank(other))
  }
}

function rank({ moduleId }: TestSpecification): number {
  const found = LONGEST.findIndex((name) => moduleId.endsWith(`${name}.test.ts`))
  return found === -1 ? LONGEST.length : found
}
