/** The two APIs against those that their clients were written for, as committed beside this file. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Difference, differences } from './compare.ts'
import { DEVIATIONS } from './deviations.ts'
import { DOCUMENTS, type DocumentName, readDocument } from './document.ts'
import { type Surface, surfaceOf } from './surface.ts'

describe.each(DOCUMENTS)('the API of openapi/%s.json', (name) => {
  const found = differences(originalOf(name), surfaceOf(readDocument(name)))
  const listed = DEVIATIONS.filter((one) => one.document === name)

  it('takes and gives what the original does, but for the deviations on the list', () => {
    const isListed = ({ at }: Difference) => listed.some((one) => matches(one.at, at))
    expect(found.filter((one) => !isListed(one)).map(({ at, what }) => `${at}: ${what}`)).toEqual(
      [],
    )
  })

  it('deviates wherever the list says so', () => {
    const isStale = (at: string) => !found.some((one) => matches(at, one.at))
    expect(listed.map(({ at }) => at).filter(isStale)).toEqual([])
  })
})

describe('the comparison', () => {
  const surface = (request: object, response: object): Surface => ({
    'POST /things': {
      parameters: {},
      request: { types: ['object'], ...request },
      responses: { '200 application/json': { types: ['object'], ...response } },
    },
  })
  const text = { types: ['string' as const] }
  const original = surface(
    { fields: { name: text, kind: { ...text, values: ['a', 'b'] } }, required: [] },
    { fields: { id: text }, required: ['id'] },
  )
  const changes: [string, Surface, string[]][] = [
    ['no operation', {}, ['POST /things: is missing']],
    [
      'a field less in the request',
      surface({ fields: { kind: text } }, { fields: { id: text }, required: ['id'] }),
      ['POST /things request.name: is missing'],
    ],
    [
      'a value less, and a field that becomes required',
      surface(
        { fields: { name: text, kind: { ...text, values: ['a'] } }, required: ['name'] },
        { fields: { id: text }, required: ['id'] },
      ),
      ['POST /things request.kind: takes no b', 'POST /things request.name: is required'],
    ],
    [
      'another type in the answer',
      surface({}, { fields: { id: { types: ['integer', 'null'] } }, required: ['id'] }),
      ['POST /things 200 application/json.id: may be integer, null'],
    ],
    [
      'a field of the answer that may be absent, and one more',
      surface({}, { fields: { id: text, more: text }, required: [] }),
      ['POST /things 200 application/json.id: may be absent'],
    ],
  ]

  it.each(changes)('notices %s', (_, ours, expected) => {
    expect(differences(original, ours).map(({ at, what }) => `${at}: ${what}`)).toEqual(expected)
  })

  it('is content with more than the original has', () => {
    const more = surface(
      { fields: { name: { types: ['string', 'null'] }, kind: text, extra: text }, required: [] },
      { fields: { id: text, extra: text }, required: ['extra', 'id'] },
    )
    expect(differences(original, more)).toEqual([])
  })
})

/** What the original takes and gives, from its public document. */
function originalOf(name: DocumentName): Surface {
  return JSON.parse(readFileSync(new URL(`${name}.operations.json`, import.meta.url), 'utf8'))
}

/** `*` in a pattern stands for any text. */
function matches(pattern: string, at: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[^\w ]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(at)
}
