import { defineConfig } from 'vitest/config'

const include = ['src/**/*.test.ts', 'client/**/*.test.ts', 'test/**/*.test.ts']
// Fixture projects and peers bring tests of nobody's.
const exclude = ['**/node_modules/**', 'test/fixtures/**', 'test/peer/**']
/** Looks at what the others have noted, so it runs when they are over. */
const last = 'test/contract/coverage.test.ts'
/**
 * These take most of the time: real installs and builds, browsers, processes that are killed. They run
 * with `npm run test:slow`, as do the API tests on PostgreSQL and on three servers; all else is what
 * `npm test` runs.
 */
const slow = [
  'test/e2e/**/*.test.ts',
  'test/chaos/**/*.test.ts',
  'test/fuzz/**/*.test.ts',
  'test/docs.test.ts',
  'test/graph/bundle.test.ts',
]

/** The agent server's API tests, which run on each database and on several servers. */
const ofAgentServer = 'test/api/agent-server/*.test.ts'
const api = {
  include: [ofAgentServer],
  exclude,
  // One process for many files: they share nothing but modules, which take most of a file's time to load.
  isolate: false,
  sequence: { groupOrder: 1 },
}
/** These start two servers on PostgreSQL by themselves, wherever they run. */
const ofTwoServers = ['two-servers', 'pgbouncer'].map((name) => `**/${name}.test.ts`)
const exceptThose = { ...api, exclude: [...exclude, ...ofTwoServers] }

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
          name: 'quick',
          include,
          exclude: [...exclude, ...slow, last, ofAgentServer],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'slow', include: slow, exclude, sequence: { groupOrder: 1 } },
      },
      { extends: true, test: { ...api, name: 'SQLite' } },
      {
        extends: true,
        test: { ...exceptThose, name: 'PostgreSQL', env: { TEST_DATABASE: 'postgres' } },
      },
      // Behind a proxy that gives each request to the next of them.
      {
        extends: true,
        test: {
          ...exceptThose,
          name: 'three servers',
          env: { TEST_DATABASE: 'postgres', TEST_SERVERS: '3' },
        },
      },
      {
        extends: true,
        test: { name: 'coverage', include: [last], exclude, sequence: { groupOrder: 2 } },
      },
    ],
  },
})
