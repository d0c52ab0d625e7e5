/** Which operations the API tests have exercised: noted by their workers, read when all is over. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DocumentName, Operation } from './document.ts'

/** One answer of success that a server gave to a test. */
interface Hit {
  document: DocumentName
  method: string
  /** Without the query. */
  path: string
}

/** What the runs of `npx vitest` leave for the check: a line for each test file and each hit. */
export class HitFile {
  readonly #path: string

  constructor(folder: string) {
    this.#path = join(folder, 'hits.jsonl')
  }

  /** From any process; a line is one write. */
  add(line: Hit | { testFile: string }): void {
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`)
  }

  read(): { hits: Hit[]; testFiles: string[] } {
    if (!existsSync(this.#path)) return { hits: [], testFiles: [] }
    const lines = readFileSync(this.#path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    return {
      hits: lines.filter((line) => 'path' in line),
      testFiles: lines.flatMap((line) => line.testFile ?? []),
    }
  }
}

/** The operation that a request reaches: where several fit, the one with the fewest names. */
export function operationOf(operations: Operation[], hit: Hit): Operation | undefined {
  return operations
    .filter(({ method, path }) => method === hit.method && patternOf(path).test(hit.path))
    .toSorted((a, b) => namesIn(a.path) - namesIn(b.path))[0]
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)
}

function namesIn(path: string): number {
  return path.split('{').length - 1
}
