import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const exclude = ['**/node_modules/**', 'test/fixtures/**']
const files = globSync('{src,client,test,bench,scripts}/**/*.{ts,mjs}', { cwd: root, exclude })
const texts = new Map(files.map((file) => [file, readFileSync(`${root}${file}`, 'utf8')]))

const IMPORTED = [
  /(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from/g,
  /(?:const|let)\s+\{([^}]*)\}\s*=\s*await\s+import\(/g,
  /import\('[^']+'\)\)?\.(\w+)/g,
]
const EXPORTED =
  /^export (?:async )?(?:abstract )?(?:function\*?|class|const|interface|type) (\w+)/gm

/** The names that some file imports, wherever from. */
const imported = new Set(
  [...texts.values()]
    .flatMap((text) => IMPORTED.flatMap((form) => [...text.matchAll(form)]))
    .flatMap(([, names = '']) => names.split(','))
    .map((part) => /^\s*(?:type\s+)?(\w+)/.exec(part)?.[1]),
)

it('every export of src is imported by another file', () => {
  // The CLI takes the commands of main.ts by their names.
  const modules = [...texts].filter(
    ([file]) => file.startsWith('src/') && !file.endsWith('.test.ts') && file !== 'src/main.ts',
  )
  const unused = modules.flatMap(([file, text]) =>
    [...text.matchAll(EXPORTED)]
      .filter(([, name]) => !imported.has(name))
      .map(([, name]) => `${file}: ${name}`),
  )
  expect(modules.length).toBeGreaterThan(100)
  expect(unused).toEqual([])
})
