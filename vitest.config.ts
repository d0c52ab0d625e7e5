import { defineConfig } from 'vitest/config'

const include = ['src/**/*.test.ts', 'client/**/*.test.ts', 'test/**/*.test.ts']
// Fixture projects and peers bring tests of nobody's.
const exclude = ['**/node_modules/**', 'test/fixtures/**', 'test/peer/**']
/** Looks at what the others have noted, so it runs when they are over. */
const last = 'test/contract/coverage.test.ts'

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
        test: { name: 'coverage', include: [last], exclude, sequence: { groupOrder: 2 } },
      },
    ],
  },
})
