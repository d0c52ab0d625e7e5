import { expect, it } from 'vitest'
import { isBelow, parseImage, pinned } from './image.ts'

const DIGEST = `sha256:${'c0ffee00'.repeat(8)}`

it.each([
  ['python', 'docker.io', 'library/python', null],
  ['python:3.12-slim', 'docker.io', 'library/python', '3.12-slim'],
  ['langchain/langgraph-api', 'docker.io', 'langchain/langgraph-api', null],
  ['docker.io/python', 'docker.io', 'library/python', null],
  ['index.docker.io/a/b:1', 'docker.io', 'a/b', '1'],
  ['registry.example.com/team/agent:v1', 'registry.example.com', 'team/agent', 'v1'],
  ['registry.example.com:5000/agent', 'registry.example.com:5000', 'agent', null],
  ['localhost/agent:x', 'localhost', 'agent', 'x'],
  ['localhost:5000/a__b/c--d', 'localhost:5000', 'a__b/c--d', null],
  ['[::1]:5000/agent', '[::1]:5000', 'agent', null],
  ['Registry/agent', 'Registry', 'agent', null],
])('reads %s', (text, registry, repository, tag) => {
  expect(parseImage(text)).toEqual({ registry, repository, tag, digest: null })
  const digest = DIGEST
  expect(parseImage(`${text}@${digest}`)).toEqual({ registry, repository, tag, digest })
})

it.each([
  ...['', ':v1', 'a:', 'a:.b', 'Agent', 'a/B', 'a//b', '/a', 'a/', 'a_', 'a..b', 'a___b', 'a._b'],
  ...['http://registry.example.com/a', 'a b', 'user:pw@host/a', 'a@sha256:c0ffee', `a@${DIGEST}@x`],
  ...['-host.com/a', 'host-.com/a', 'host.com:x/a', 'host..com/a', `a:${'x'.repeat(129)}`],
  `host.com/${'a'.repeat(250)}`,
  `${'a-'.repeat(50_000)}/a`,
  'a\n',
  '..',
  'host.com/../a',
])('takes no %j', (text) => {
  expect(parseImage(text)).toBeUndefined()
})

it('names an image by its content, without the tag', () => {
  const image = parseImage('registry.example.com/agent:v1')
  expect(image && pinned(image, DIGEST)).toBe(`registry.example.com/agent@${DIGEST}`)
})

it('knows what lies below a folder of a registry', () => {
  const below = (text: string, prefix: string) => {
    const image = parseImage(text)
    return image !== undefined && isBelow(image, prefix)
  }
  expect(below('r.example.com/team/agent', 'r.example.com/team')).toBe(true)
  expect(below('r.example.com/team2/agent', 'r.example.com/team')).toBe(false)
  expect(below('r.example.com.evil.net/team/agent', 'r.example.com')).toBe(false)
})
