import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { NO_PYTHON } from '../../../test/support/hosts/python.ts'
import { runNow } from '../../../test/support/processes/program.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { BuildError } from '../../core/deployment/builds/build.ts'
import { printedLog } from '../build-log.ts'
import { DEFAULT_LIMITS } from '../step.ts'
import { checkOwnModules } from './own-modules.ts'

const skipped = NO_PYTHON ? ` (skipped: ${NO_PYTHON})` : ''

let source: string

/** The first problem of these files, of which `agent.py` or `app/agent.py` is the graph's. */
async function problemOf(files: Record<string, string>): Promise<string | undefined> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(source, path)), { recursive: true })
    await writeFile(join(source, path), text)
  }
  const graph = join(source, 'agent.py' in files ? 'agent.py' : 'app/agent.py')
  const { signal } = new AbortController()
  const context = { log: printedLog(() => {}), signal, limits: DEFAULT_LIMITS, env: {} }
  return checkOwnModules(source, [graph], context).then(
    () => undefined,
    (error: BuildError) => `${error.step}: ${error.message}`,
  )
}

const PACKAGE = { 'app/__init__.py': '' }

describe.skipIf(NO_PYTHON)(`a project's own modules${skipped}`, () => {
  beforeEach(async () => {
    source = temporaryFolder()
    await mkdir(join(source, '.venv/bin'), { recursive: true })
    const python = runNow('python3', ['-c', 'import sys; print(sys.executable)']).trim()
    await symlink(python, join(source, '.venv/bin/python'))
  })

  it.each<[string, Record<string, string>, string]>([
    [
      'its own syntax',
      { 'agent.py': 'x = 1\nif x\n  pass\n' },
      "agent.py:2:5: SyntaxError: expected ':'",
    ],
    [
      'the syntax of a file that it imports',
      { 'agent.py': 'import tools\n', 'tools.py': 'def f(:\n' },
      'tools.py:1:7: SyntaxError: invalid syntax',
    ],
    [
      'a relative import',
      { ...PACKAGE, 'app/agent.py': 'import os\nfrom .tols import f\n' },
      'app/agent.py:2:1: ModuleNotFoundError: there is no module .tols',
    ],
    [
      'an import of its package',
      {
        ...PACKAGE,
        'app/agent.py': 'from app.tools import f\nfrom app.tols.x import f\n',
        'app/tools.py': '',
      },
      'app/agent.py:2:1: ModuleNotFoundError: there is no module app.tols',
    ],
    [
      'a module of a package that it imports',
      {
        ...PACKAGE,
        'app/agent.py': 'from . import a\n',
        'app/a.py': 'from ..b import c\nfrom .b import c\n',
      },
      'app/a.py:1:1: ModuleNotFoundError: there is no module ..b',
    ],
  ])('names the line of %s', async (_, files, problem) => {
    expect(await problemOf(files)).toBe(`build: ${problem}`)
  })

  it.each<[string, Record<string, string>]>([
    [
      'packages that are not its own',
      { 'agent.py': 'import requests.nosuch\nfrom x.y import z\n' },
    ],
    [
      'an import that may fail',
      { 'agent.py': 'try:\n    from .x import y\nexcept ImportError:\n    y = None\n' },
    ],
    [
      'an import in a function',
      { ...PACKAGE, 'app/agent.py': 'def f():\n    from . import broken\n', 'app/broken.py': '(' },
    ],
    [
      'names that modules define',
      { ...PACKAGE, 'app/agent.py': 'from . import x\nfrom .a import b\n', 'app/a.py': 'b = 1\n' },
    ],
    [
      'a package that looks elsewhere',
      { 'app/__init__.py': '__path__ = []\n', 'app/agent.py': 'from app.made import x\n' },
    ],
    [
      'a compiled module',
      { ...PACKAGE, 'app/agent.py': 'from .fast import x\n', 'app/fast.cpython-312.so': '' },
    ],
    ['modules that import each other', { 'agent.py': 'import b\n', 'b.py': 'import agent\n' }],
  ])('accepts %s', async (_, files) => {
    expect(await problemOf(files)).toBeUndefined()
  })
})
