import { expect, it } from 'vitest'
import { textsAt } from './text.ts'

const value = {
  title: 'T',
  size: 3,
  empty: '',
  nothing: null,
  chapters: [{ title: 'one', pages: [1] }, { title: 'two' }, 'plain'],
  author: { name: 'Ann', born: { year: 1990 } },
}

it.each([
  ['$', [JSON.stringify(value)]],
  ['title', ['T']],
  ['size', ['3']],
  ['empty', []],
  ['nothing', []],
  ['missing.deeper', []],
  ['author', ['{"name":"Ann","born":{"year":1990}}']],
  ['author.born.year', ['1990']],
  ['author.{name, born}', ['Ann', '{"year":1990}']],
  ['chapters[*].title', ['one', 'two']],
  ['chapters[0].title', ['one']],
  ['chapters[-1]', ['plain']],
  ['chapters[9]', []],
  ['chapters.title', []],
  ['author.*', ['Ann', '{"year":1990}']],
  ['constructor', []],
])('the texts at %s', (path, expected) => {
  expect(textsAt(value, path)).toEqual(expected)
})
