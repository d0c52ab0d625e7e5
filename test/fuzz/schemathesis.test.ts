/** Both servers against their own documents, with schemathesis; in `npm run chaos` only. */
import { describe, expect, test } from 'vitest'
import { isChaos, SEED } from '../chaos/effort.ts'
import type { DocumentName } from '../contract/document.ts'
import { clientOf } from '../support/agent/agent-server.ts'
import { installPython, NO_PYTHON } from '../support/hosts/python.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { unexplained } from './explained.ts'
import { startFuzzedProcess } from './fuzzed-process.ts'
import { limitAnswers } from './patience.ts'
import { readFindings, schemathesis } from './schemathesis.ts'

/** For thinking of requests; those that are under way then, and the first ones of all, come on top. */
const LIMIT_SECONDS = 240
const TEST_LIMIT_MS = 1_200_000
const REQUIREMENTS = new URL('requirements.txt', import.meta.url)

/** Streams that do not end by themselves, and a body that schemathesis cannot make. */
const EXCEPT_PATHS: Record<DocumentName, string[]> = {
  'agent-server': ['/threads/{thread_id}/stream', '/threads/{thread_id}/stream/events'],
  'control-plane': [
    '/internal/builds/{revision_id}/{digest}',
    '/v2/uploads/{deployment_id}/{file}',
  ],
}

if (isChaos) {
  const skipped = NO_PYTHON ? ` (skipped: ${NO_PYTHON})` : ''
  describe.skipIf(NO_PYTHON)(`schemathesis (seed ${SEED})${skipped}`, () => {
    test(
      'finds nothing between the agent server and its document that is not explained',
      async () => {
        const [folder, key] = [temporaryFolder(), 'ry_schemathesis']
        const server = await startFuzzedProcess('agent-server-process.ts', folder, key)
        const patience = await limitAnswers(server.line, 10_000)
        try {
          await readSchemas(server.line, key)
          await expectExplained('agent-server', { url: patience.url, key, folder })
          expect(server.isAlive()).toBe(true)
        } finally {
          patience.stop()
          await server.stop()
        }
      },
      TEST_LIMIT_MS,
    )

    test(
      'finds nothing between the control plane and its document that is not explained',
      async () => {
        const folder = temporaryFolder()
        const server = await startFuzzedProcess('control-plane-process.ts')
        const [url = '', key = ''] = server.line.split(' ')
        try {
          await expectExplained('control-plane', { url, key, folder })
          expect(server.isAlive()).toBe(true)
        } finally {
          await server.stop()
        }
      },
      TEST_LIMIT_MS,
    )
  })
}

/** The first answer about a graph's types takes the compiler seconds. */
async function readSchemas(url: string, key: string): Promise<void> {
  const { assistants } = clientOf(url, key)
  for (const { assistant_id } of await assistants.search())
    await assistants.getSchemas(assistant_id)
}

async function expectExplained(
  document: DocumentName,
  server: { url: string; key: string; folder: string },
): Promise<void> {
  const exceptPaths = EXCEPT_PATHS[document]
  const bounds = { exceptPaths, seed: SEED, limitSeconds: LIMIT_SECONDS }
  const findings = await schemathesis(await installPython(REQUIREMENTS), { ...server, ...bounds })
  expect(unexplained(document, findings)).toEqual([])
}

describe('a report of schemathesis', () => {
  const $base64 = Buffer.from('{"detail":"x"}').toString('base64')
  const failed = {
    name: 'status_code_conformance',
    status: 'failure',
    failure_info: { failure: { message: 'Received: 400' } },
  }
  const interaction = {
    request: { method: 'GET', uri: 'http://localhost/things', body: null },
    response: { status_code: 400, content: { $base64 } },
  }
  const recorder = {
    label: 'GET /things',
    checks: { a: [{ name: 'not_a_server_error', status: 'success' }, failed], b: [failed] },
    interactions: { a: interaction, b: interaction },
  }

  test('tells each kind of finding once, and what was not answered', async () => {
    const events = [
      { EngineStarted: {} },
      { ScenarioFinished: { status: 'failure', recorder } },
      { NonFatalError: { label: 'POST /things', value: { message: 'Read timed out.' } } },
    ]
    const lines = (async function* () {
      for (const event of events) yield JSON.stringify(event)
    })()
    expect(await readFindings(lines)).toEqual([
      {
        operation: 'GET /things',
        check: 'status_code_conformance',
        message: 'Received: 400',
        request: 'GET http://localhost/things ',
        answer: '400 {"detail":"x"}',
      },
      expect.objectContaining({ operation: 'POST /things', check: 'error', answer: '' }),
    ])
  })

  test('is red for what nothing explains', () => {
    const found = { operation: 'GET /things', message: '', request: '', answer: '400 {}' }
    const allowed = { ...found, check: 'positive_data_acceptance' }
    const failure = { ...found, check: 'not_a_server_error', answer: '500 {}' }
    expect(unexplained('agent-server', [allowed, failure])).toEqual([failure])
  })
})
