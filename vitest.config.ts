import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import {
  BEHIND_A_WIRE,
  IN_PYTHON,
  IN_PYTHON_ON_POSTGRES,
  IN_PYTHON_ON_THREE_SERVERS,
  OF_JAVASCRIPT,
  OF_POSTGRES,
  ON_POSTGRES,
  ON_THREE_SERVERS,
} from './test/api/agent-server/places.ts'
import { NO_PYTHON } from './test/support/hosts/python.ts'
import { LongestFirst } from './test/support/vitest/longest-first.ts'

// What Node has made of the sources is kept from process to process: 0.5 s of processor time to load them, not 1.5.
process.env.NODE_COMPILE_CACHE ??= resolve(import.meta.dirname, 'node_modules/.cache/compiled')

const include = ['{src,client,dashboard,test}/**/*.test.ts']
// Fixture projects and peers bring tests of nobody's.
/** Needs a real cluster, which TEST_KUBECONFIG names. */
const onCluster = 'test/conformance/kubernetes-cluster.test.ts'
const chaosOnCluster = 'test/chaos/kubernetes*.test.ts'
const withoutCluster = process.env.TEST_KUBECONFIG ? [] : [onCluster, chaosOnCluster]
/** Needs Runyard's image, which TEST_RUNYARD_IMAGE names. */
const withoutImage = process.env.TEST_RUNYARD_IMAGE ? [] : ['test/chaos/docker.test.ts']
const without = [...withoutCluster, ...withoutImage]
const exclude = ['**/node_modules/**', 'test/fixtures/**', 'test/peer/**', ...without]
/** Looks at what the others have noted, so it runs when they are over. */
const last = 'test/contract/coverage.test.ts'
/** Real installs and builds, browsers, processes that are killed: these take most of the time. */
const slow = [
  'test/e2e/**/*.test.ts',
  'test/fuzz/**/*.test.ts',
  'test/examples/**/*.test.ts',
  'test/docs.test.ts',
  'test/graph/bundle.test.ts',
  'test/conformance/python-checkpointer.test.ts',
  'test/conformance/kubernetes-builds.test.ts',
  'test/conformance/kubernetes-driver.test.ts',
  onCluster,
  'src/build/python/build.test.ts',
]
/**
 * Kills come at moments of the clock: if a server got further only now and then, all of them would fall on the same run.
 * A container engine makes and removes networks of the machine, and a browser then drops what it is loading.
 */
const alone = ['test/chaos/**/*.test.ts', 'test/e2e/docker-driver.test.ts']

const ofAgentServer = 'test/api/agent-server/*.test.ts'
const files = (list: object) =>
  Object.keys(list).map((name) => `test/api/agent-server/${name}.test.ts`)
/** `npm run chaos` runs each API test on each database, and on three servers. */
const isChaos = process.env.CHAOS === '1'
const where = (list: object) => (isChaos ? [ofAgentServer] : files(list))

/** Tells that the tests with Python graphs are skipped, and why. */
const withoutPython = 'test/api/without-python.test.ts'
/** With graphs in Python, behind its host. */
const inPython = (list: object, env: Record<string, string> = {}) => ({
  ...together,
  include: NO_PYTHON ? [withoutPython] : where(list),
  exclude: [...exclude, ...files(OF_POSTGRES), ...files(OF_JAVASCRIPT)],
  globalSetup: './test/support/vitest/python-global.ts',
  setupFiles: './test/support/vitest/python-setup.ts',
  env: { TEST_HOST: 'python', ...env },
})

/**
 * One process for many files: to load the modules anew takes longer than most files' tests. So a
 * test leaves nothing behind in its process. On two cores there are two of them: vitest would take one.
 */
const together = { exclude, isolate: false, maxWorkers: '100%', sequence: { groupOrder: 1 } }
/**
 * These start processes of their own, and wait for them and for timers more than they compute: one more
 * at a time than there are processors. None counts milliseconds, or has a port or a folder that another one has.
 */
const sideBySide = {
  exclude,
  maxWorkers: availableParallelism() + 1,
  // A walk through a browser's pages takes a minute where two other files compute beside it, and some on a busy machine.
  testTimeout: 300_000,
  sequence: { groupOrder: 2 },
}
const oneByOne = { exclude, maxWorkers: 1, sequence: { groupOrder: 3 } }

export default defineConfig({
  test: {
    pool: 'forks',
    // Node loads the tests itself: a project's modules must resolve as they do in the server.
    experimental: { viteModuleRunner: false },
    // Long enough for a machine that has more to do: they are there for what hangs.
    testTimeout: 120_000,
    // A build's node_modules have tens of thousands of files, which take their time to be removed.
    hookTimeout: 300_000,
    // Processes that stand still for some seconds while others are started still get there.
    expect: { poll: { timeout: 90_000 } },
    teardownTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    reporters: [
      'default',
      './test/support/vitest/still-running.ts',
      './test/support/vitest/failed-files.ts',
      './test/support/vitest/closing-line.ts',
    ],
    globalSetup: ['./test/contract/hits-folder.ts', './test/support/vitest/postgres-global.ts'],
    setupFiles: ['./test/contract/record-hits.ts', './test/support/vitest/folders-setup.ts'],
    // Group 0 would not do: on few cores vitest puts its files behind all groups.
    projects: [
      {
        extends: true,
        test: {
          ...together,
          name: 'quick',
          include,
          exclude: [...exclude, ...slow, ...alone, last, ofAgentServer, withoutPython],
        },
      },
      {
        extends: true,
        test: {
          ...together,
          name: 'SQLite',
          include: [ofAgentServer],
          exclude: [...exclude, ...files(OF_POSTGRES)],
        },
      },
      {
        extends: true,
        test: {
          ...sideBySide,
          name: 'slow',
          include: slow,
          exclude: [...exclude, ...alone],
          globalSetup: './test/support/vitest/shared-installs-global.ts',
          setupFiles: './test/support/vitest/shared-installs-setup.ts',
        },
      },
      { extends: true, test: { ...oneByOne, name: 'alone', include: alone } },
      {
        extends: true,
        test: {
          ...together,
          name: 'PostgreSQL',
          include: [...where(ON_POSTGRES), ...files(OF_POSTGRES)],
          env: { TEST_DATABASE: 'postgres' },
        },
      },
      {
        extends: true,
        test: {
          ...together,
          name: 'wire',
          include: where(BEHIND_A_WIRE),
          exclude: [...exclude, ...files(OF_POSTGRES)],
          env: { TEST_HOST: 'wire' },
        },
      },
      // Behind a proxy that gives each request to the next of them.
      {
        extends: true,
        test: {
          ...together,
          name: 'three servers',
          include: where(ON_THREE_SERVERS),
          exclude: [...exclude, ...files(OF_POSTGRES)],
          env: { TEST_DATABASE: 'postgres', TEST_SERVERS: '3' },
        },
      },
      { extends: true, test: { ...inPython(IN_PYTHON), name: 'Python' } },
      {
        extends: true,
        test: {
          ...inPython(IN_PYTHON_ON_POSTGRES, { TEST_DATABASE: 'postgres' }),
          name: 'Python on PostgreSQL',
        },
      },
      {
        extends: true,
        test: {
          ...inPython(IN_PYTHON_ON_THREE_SERVERS, { TEST_DATABASE: 'postgres', TEST_SERVERS: '3' }),
          name: 'Python on three servers',
        },
      },
      {
        extends: true,
        test: { name: 'coverage', include: [last], exclude, sequence: { groupOrder: 4 } },
      },
    ],
  },
})
