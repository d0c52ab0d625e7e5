/**
 * Runs before each test file: notes what the servers in its process answer with success, so that
 * `coverage.test.ts` can tell which operations no test reaches.
 */
import { expect, inject } from 'vitest'
import { DOCUMENTS } from './document.ts'
import { recordHits, stopRecording } from './hit-recorder.ts'
import { HitFile } from './operation-hits.ts'

const testFile = expect.getState().testPath ?? ''
const document = DOCUMENTS.find((name) => testFile.includes(`/test/api/${name}/`))
if (document) {
  const file = new HitFile(inject('hitsFolder'))
  file.add({ testFile })
  recordHits(file, document)
} else {
  stopRecording()
}
