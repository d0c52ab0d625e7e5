import { defineConfig } from 'vitest/config'

const include = ['src/**/*.test.ts', 'client/**/*.test.ts', 'test/**/*.test.ts']
// Fixture projects and peers bring tests of nobody's.
const exclude = ['**/node_modules/**', 'test/fixtures/**', 'test/peer/**']
/** Looks at what the others have noted, so it runs when they are over. */
const last = 'test/contract/coverage.test.ts'

/**
 * The API tests again on PostgreSQL, and on three servers behind a proxy that gives each request to
 * the next: what depends on the database and on who is asked, all of it in `npm run chaos`. Not those
 * that are about one server's own figures, limits and files, that count milliseconds, or that hold
 * the order of what happens at once to the letter.
 */
const isWhole = process.env.CHAOS === '1'
const api = (names: string[]) => names.map((name) => `test/api/agent-server/${name}.test.ts`)
const ofDatabase = isWhole
  ? api(['*'])
  : api([
      'runs',
      'streams',
      'stateless-runs',
      'cancel',
      'multitask',
      'interrupts',
      'state',
      'history',
    ])
const ofServers = isWhole
  ? api(['*'])
  : api(['runs', 'streams', 'cancel', 'multitask', 'interrupts', 'idempotency'])
const ofNoDatabase = api([
  'run-timeout',
  'streams-golden',
  'protocol-golden',
  'two-servers',
  'pgbouncer',
])
const ofOneServer = api([
  ...['limits', 'metrics', 'logs', 'door', 'shutdown', 'ui', 'mcp'],
  // These start several by themselves, or ask the server in its own process.
  ...['cron-firings', 'custom-routes', 'crash'],
])
/** Several servers share one process. */
const testTimeout = 60_000

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
        test: { name: 'all', include, exclude: [...exclude, last], sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: {
          name: 'PostgreSQL',
          include: ofDatabase,
          exclude: [...exclude, ...ofNoDatabase],
          testTimeout,
          env: { TEST_DATABASE: 'postgres' },
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'three servers',
          include: ofServers,
          exclude: [...exclude, ...ofNoDatabase, ...ofOneServer],
          testTimeout,
          env: { TEST_DATABASE: 'postgres', TEST_SERVERS: '3' },
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'coverage', include: [last], exclude, sequence: { groupOrder: 2 } },
      },
    ],
  },
})
