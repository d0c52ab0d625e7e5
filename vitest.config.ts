import { defineConfig } from 'vitest/config'
import {
  BEHIND_A_WIRE,
  OF_POSTGRES,
  ON_POSTGRES,
  ON_THREE_SERVERS,
} from './test/api/agent-server/places.ts'

const include = ['src/**/*.test.ts', 'client/**/*.test.ts', 'test/**/*.test.ts']
// Fixture projects and peers bring tests of nobody's.
const exclude = ['**/node_modules/**', 'test/fixtures/**', 'test/peer/**']
/** Looks at what the others have noted, so it runs when they are over. */
const last = 'test/contract/coverage.test.ts'
/** Real installs and builds, browsers, processes that are killed: these take most of the time. */
const slow = [
  'test/e2e/**/*.test.ts',
  'test/chaos/**/*.test.ts',
  'test/fuzz/**/*.test.ts',
  'test/examples/**/*.test.ts',
  'test/docs.test.ts',
  'test/graph/bundle.test.ts',
]

const ofAgentServer = 'test/api/agent-server/*.test.ts'
const files = (list: object) =>
  Object.keys(list).map((name) => `test/api/agent-server/${name}.test.ts`)
/** `npm run chaos` runs each API test on each database, and on three servers. */
const isChaos = process.env.CHAOS === '1'
const where = (list: object) => (isChaos ? [ofAgentServer] : files(list))

/**
 * One process for many files: to load the modules anew takes longer than most files' tests. So a
 * test leaves nothing behind in its process. On two cores there are two of them: vitest would take one.
 */
const together = { exclude, isolate: false, maxWorkers: '100%', sequence: { groupOrder: 1 } }
/** These start processes by themselves, and some count milliseconds. */
const oneByOne = { exclude, sequence: { groupOrder: 2 } }

export default defineConfig({
  test: {
    pool: 'forks',
    // Node loads the tests itself: a project's modules must resolve as they do in the server.
    experimental: { viteModuleRunner: false },
    // Long enough for a machine that has more to do: they are there for what hangs.
    testTimeout: 60_000,
    // A build's node_modules have tens of thousands of files, which take their time to be removed.
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: ['default', './test/support/closing-line.ts'],
    globalSetup: ['./test/contract/hits-folder.ts', './test/support/postgres-global.ts'],
    setupFiles: './test/contract/record-hits.ts',
    // Group 0 would not do: on few cores vitest puts its files behind all groups.
    projects: [
      {
        extends: true,
        test: {
          ...together,
          name: 'quick',
          include,
          exclude: [...exclude, ...slow, last, ofAgentServer],
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
      { extends: true, test: { ...oneByOne, name: 'slow', include: slow } },
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
      {
        extends: true,
        test: { name: 'coverage', include: [last], exclude, sequence: { groupOrder: 3 } },
      },
    ],
  },
})
