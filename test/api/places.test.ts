import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BEHIND_A_WIRE, OF_POSTGRES, ON_POSTGRES, ON_THREE_SERVERS } from './agent-server/places.ts'

test('each name in places.ts is an API test’s of the agent server, and has one database', () => {
  const files = readdirSync(join(import.meta.dirname, 'agent-server'))
  const named = [ON_THREE_SERVERS, ON_POSTGRES, OF_POSTGRES].flatMap((list) => Object.keys(list))
  const all = [...named, ...Object.keys(BEHIND_A_WIRE)]
  const missing = all.filter((name) => !files.includes(`${name}.test.ts`))
  expect(missing).toEqual([])
  expect(named).toHaveLength(new Set(named).size)
})
