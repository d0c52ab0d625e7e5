import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as places from './agent-server/places.ts'

test('each name in places.ts is an API test’s of the agent server, and has one database', () => {
  const files = readdirSync(join(import.meta.dirname, 'agent-server'))
  const { ON_THREE_SERVERS, ON_POSTGRES, OF_POSTGRES } = places
  const named = [ON_THREE_SERVERS, ON_POSTGRES, OF_POSTGRES].flatMap((list) => Object.keys(list))
  const all = Object.values(places).flatMap((list) => Object.keys(list))
  const missing = all.filter((name) => !files.includes(`${name}.test.ts`))
  expect(missing).toEqual([])
  expect(named).toHaveLength(new Set(named).size)
})
