import { appendFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { Logs } from './logs.ts'

let dir: string
let logs: Logs
const pathOf = (id: string) => join(dir, id)
beforeEach(() => {
  dir = temporaryFolder()
  logs = new Logs(pathOf)
})

const textOf = (id: string) => logs.read([id]).map(({ text }) => text)

it('tells whole lines until they are acknowledged, and then no more', () => {
  writeFileSync(pathOf('a'), 'one\ntw')
  expect(textOf('a')).toEqual(['one\n'])
  expect(textOf('a')).toEqual(['one\n'])
  logs.acknowledge()
  expect(textOf('a')).toEqual([])
  expect(logs.hasNew(['a'])).toBe(false)
  appendFileSync(pathOf('a'), 'o\n')
  expect(logs.hasNew(['a'])).toBe(true)
  expect(textOf('a')).toEqual(['two\n'])
})

it('counts the bytes of the file, also where they are no UTF-8', () => {
  writeFileSync(pathOf('a'), Buffer.from([0xff, 0xfe, 0x0a]))
  expect(textOf('a')).toHaveLength(1)
  logs.acknowledge()
  expect(logs.hasNew(['a'])).toBe(false)
  appendFileSync(pathOf('a'), 'next\n')
  expect(textOf('a')).toEqual(['next\n'])
})

it('begins again with a file that was rotated', () => {
  writeFileSync(pathOf('a'), 'the first\n')
  logs.skip(['a'])
  expect(textOf('a')).toEqual([])
  renameSync(pathOf('a'), pathOf('a.1'))
  writeFileSync(pathOf('a'), 'new\n')
  expect(textOf('a')).toEqual(['new\n'])
})

it('gives each revision its turn where there is more than a report takes', () => {
  const ids = Array.from({ length: 40 }, (_, i) => `revision-${i}`)
  for (const id of ids) writeFileSync(pathOf(id), `${'x'.repeat(65_535)}\n`.repeat(2))
  const first = logs.read(ids).map(({ revision_id }) => revision_id)
  logs.acknowledge()
  const second = logs.read(ids).map(({ revision_id }) => revision_id)
  expect(first).toHaveLength(32)
  expect(new Set([...first, ...second])).toEqual(new Set(ids))
})
