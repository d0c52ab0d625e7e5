import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const exclude = ['**/node_modules/**', 'test/fixtures/**']
const files = globSync('{src,client,test,bench,scripts}/**/*.{ts,mjs}', { cwd: root, exclude })
const texts = new Map(files.map((file) => [file, readFileSync(`${root}${file}`, 'utf8')]))

const IMPORTED = [
  /(?:import|export)\s+(?:type\s+)?\{(?<names>[^}]*)\}\s*from\s*'(?<from>\.[^']+)'/g,
  /(?:const|let)\s+\{(?<names>[^}]*)\}\s*=\s*await\s+import\(\s*'(?<from>\.[^']+)'/g,
]
const EXPORTED =
  /^export (?:async )?(?:abstract )?(?:function\*?|class|const|interface|type) (\w+)/gm

/** What some file imports: `<file>: <name>`. */
const imported = new Set([...texts].flatMap(([file, text]) => importsOf(file, text)))

function importsOf(file: string, text: string): string[] {
  const found = IMPORTED.flatMap((form) => [...text.matchAll(form)])
  return found.flatMap(({ groups: { names = '', from = '' } = {} }) => {
    const named = names.split(',').map((part) => /^\s*(?:type\s+)?(\w+)/.exec(part)?.[1])
    return named.map((name) => `${join(dirname(file), from)}: ${name}`)
  })
}

it('every export of src is imported by another file', () => {
  // The CLI takes the commands of main.ts by their names.
  const modules = [...texts].filter(
    ([file]) => file.startsWith('src/') && !file.endsWith('.test.ts') && file !== 'src/main.ts',
  )
  const unused = modules.flatMap(([file, text]) =>
    [...text.matchAll(EXPORTED)]
      .map(([, name]) => `${file}: ${name}`)
      .filter((one) => !imported.has(one)),
  )
  expect(modules.length).toBeGreaterThan(100)
  // A line of the script that it makes for pages.
  expect(unused).toEqual(['src/project/ui-bundle.ts: render'])
})
