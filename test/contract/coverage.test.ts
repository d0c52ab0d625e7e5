/** Runs when all other tests are over (vitest.config.ts) and looks at what they have reached. */
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { OF_POSTGRES } from '../api/agent-server/places.ts'
import { DOCUMENTS, nameOf, operationsOf, readDocument } from './document.ts'
import { HitFile, operationOf } from './operation-hits.ts'
import { UNEXERCISED } from './unexercised.ts'

const { hits, testFiles } = new HitFile(inject('hitsFolder')).read()

describe.each(DOCUMENTS)('the operations of openapi/%s.json', (name) => {
  it('are all exercised with success by an API test, but for those on the list', ({ skip }) => {
    const missing = apiTestsOf(name).filter((file) => !testFiles.includes(file))
    skip(missing.length > 0, `${missing.length} API test files were not part of this run`)

    const operations = operationsOf(readDocument(name))
    const reached = hits
      .filter((hit) => hit.document === name)
      .map((hit) => operationOf(operations, hit))
    const unreached = operations.filter((operation) => !reached.includes(operation)).map(nameOf)
    const listed = UNEXERCISED.filter((one) => one.document === name).map((one) => one.operation)
    expect(unreached.toSorted()).toEqual(listed.toSorted())
  })
})

/** Those that run on SQLite. */
function apiTestsOf(name: string): string[] {
  const folder = resolve(import.meta.dirname, `../api/${name}`)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !(file.replace('.test.ts', '') in OF_POSTGRES))
    .map((file) => join(folder, file))
}
