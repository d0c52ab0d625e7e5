import { expect, it } from 'vitest'
import { failureLine } from './failure-line.ts'

it.each([
  [
    'uv',
    '  × No solution found when resolving dependencies:\n  ╰─▶ Because nosuch was not found in the package registry and you require\n      nosuch, we can conclude that your requirements are unsatisfiable.',
    'Because nosuch was not found in the package registry and you require nosuch, we can conclude that your requirements are unsatisfiable.',
  ],
  [
    'uv that cannot build a package',
    '  × Failed to build `app @ file:///app`\n  ├─▶ The build backend returned an error\n  ╰─▶ Call to `build` failed (exit status: 1)\n\n      [stderr]\n      no module',
    'Call to `build` failed (exit status: 1)',
  ],
  [
    'uv sync',
    'Using Python 3.12\nerror: The lockfile at `uv.lock` needs to be updated',
    'The lockfile at `uv.lock` needs to be updated',
  ],
  [
    'pip',
    'Collecting x\nERROR: Could not find a version that satisfies the requirement x\nERROR: No matching distribution found for x',
    'Could not find a version that satisfies the requirement x',
  ],
  [
    'npm without such a package',
    'npm error code E404\nnpm error 404 Not Found - GET https://registry.example/nosuch - Not found\nnpm error 404\nnpm error A complete log of this run can be found in: /home/x/log',
    'Not Found - GET https://registry.example/nosuch - Not found',
  ],
  [
    'npm without such a version',
    'npm error code ETARGET\nnpm error notarget No matching version found for left-pad@99.0.0.\nnpm error notarget In most cases',
    'No matching version found for left-pad@99.0.0.',
  ],
  [
    'npm with a script that fails',
    'npm error code 1\nnpm error path /source\nnpm error command failed\nnpm error command sh -c node x.js\nnpm error Error: no compiler\nnpm error     at x.js:1',
    'Error: no compiler',
  ],
  [
    'pnpm',
    ' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"',
    'Cannot install with "frozen-lockfile"',
  ],
  [
    'tsc',
    "src/a.ts(3,5): error TS2304: Cannot find name 'x'.\nFound 1 error.",
    "src/a.ts(3,5): error TS2304: Cannot find name 'x'.",
  ],
  ['esbuild', '✘ [ERROR] Could not resolve "./x"\n\n    a.ts:1:7:', 'Could not resolve "./x"'],
  [
    'a script',
    'building\nTypeError: x is not a function\n    at a.js:1',
    'TypeError: x is not a function',
  ],
  ['a shell', 'sh: 1: nosuch: not found', 'sh: 1: nosuch: not found'],
])('finds the line of %s', (_, output, line) => {
  expect(failureLine(output.split('\n'))).toBe(line)
})

it('finds none where no line says why, and shortens a long one', () => {
  expect(failureLine(['making', 'done'])).toBeUndefined()
  expect(failureLine([])).toBeUndefined()
  expect(failureLine([`error: ${'x'.repeat(500)}`])).toHaveLength(300)
})
