/** Vitest's global set-up for tests with Python graphs: an environment that the hosts run in. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { installHostPython, NO_PYTHON } from '../hosts/python.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A virtual environment's folder. */
    pythonEnvironment: string
    /** Where graphs tell what `held.ts` reads. */
    heldFolder: string
  }
}

export default async function providePython(
  project: TestProject,
): Promise<(() => void) | undefined> {
  if (NO_PYTHON) return undefined
  project.provide('pythonEnvironment', dirname(dirname(await installHostPython())))
  const folder = mkdtempSync(join(tmpdir(), 'runyard-held-'))
  project.provide('heldFolder', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
