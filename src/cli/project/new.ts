/** `runyard new` */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { DEPLOYMENT_NAME } from '../../core/deployment/deployment.ts'
import { AppError } from '../../core/errors.ts'
import { exampleFolder } from '../example-folder.ts'
import { describeExamples } from '../examples.ts'
import { printJson } from '../terminal/output.ts'

/** The template of each language, and the files of its folder that belong in no repository. */
const TEMPLATES = {
  typescript: {
    title: 'TypeScript',
    example: 'agent',
    install: 'npm ci',
    ignored: ['node_modules/'],
    talk: (name: string) => `runyard chat ${name}`,
  },
  python: {
    title: 'Python',
    example: 'python-agent',
    install: 'uv venv && uv pip install -r requirements.txt',
    ignored: ['.venv/', '__pycache__/'],
    // The state of this example is no conversation.
    talk: (name: string) => `runyard run ${name} '{"beds": ["roses", "mint"]}'`,
  },
} as const

type Language = keyof typeof TEMPLATES

/** Files of the example that are not copied: they are made here, or at the first start. */
const LEFT_OUT = /(^|\/)(README\.md|client\.\w+|node_modules|\.runyard|\.venv|__pycache__)$/

export function newCommand(): Command {
  return new Command('new')
    .description('make a project that runs and deploys at once')
    .argument('<dir>', 'its folder, which must not be there yet, or be empty')
    .addOption(
      new Option('--language <language>', 'what its graph is written in')
        .choices(Object.keys(TEMPLATES))
        .default('typescript'),
    )
    .option('--json', 'answer with JSON')
    .addHelpText(
      'after',
      describeExamples([
        ['runyard new support', 'an agent in TypeScript'],
        ['runyard new support --language python', 'one in Python'],
      ]),
    )
    .exitOverride()
    .action(async (dir: string, options: { language: Language; json?: boolean }) => {
      const folder = resolve(dir)
      const files = await makeProject(folder, options.language)
      if (options.json) return printJson({ folder, language: options.language, files })
      for (const file of files) console.log(`  ${file}`)
      console.log(nextSteps(folder, options.language))
    })
}

/** Returns its files. Throws `bad_request` if the folder cannot be used. */
async function makeProject(folder: string, language: Language): Promise<string[]> {
  const name = basename(folder)
  if (!DEPLOYMENT_NAME.test(name)) {
    const message = `"${name}" is no name for a deployment: small letters, digits, - and _.`
    throw new AppError('bad_request', message)
  }
  const found = await readdir(folder).catch(noneYet)
  if (found.length > 0) throw new AppError('bad_request', `${folder} is not empty.`)
  const { example, ignored } = TEMPLATES[language]
  const source = exampleFolder(example)
  await mkdir(folder, { recursive: true })
  await cp(source, folder, { recursive: true, filter: (path) => !isLeftOut(source, path) })
  await renamePackage(folder, name)
  await writeFile(join(folder, '.gitignore'), [...ignored, '.runyard/', '.env', ''].join('\n'))
  await writeFile(join(folder, 'README.md'), readme(name, language))
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted()
}

function noneYet(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw new AppError('bad_request', `${error.path} cannot be a project's folder (${error.code}).`)
}

function isLeftOut(source: string, path: string): boolean {
  return LEFT_OUT.test(relative(source, path))
}

/** Changes the name in every file where a package manager reads it. */
async function renamePackage(folder: string, name: string): Promise<void> {
  for (const file of ['package.json', 'package-lock.json']) {
    const path = join(folder, file)
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text !== undefined) await writeFile(path, text.replaceAll('runyard-example-agent', name))
  }
}

function readme(name: string, language: Language): string {
  return `# ${name}

An agent of LangGraph, in ${TEMPLATES[language].title}. \`langgraph.json\` names its graph.

\`\`\`sh
${commands(name, language).join('\n')}
\`\`\`

Variables are read from \`.env\`; a deployment is given them by \`--env-file .env\`.
`
}

function nextSteps(folder: string, language: Language): string {
  const way = relative(process.cwd(), folder)
  return [
    '',
    'Next:',
    ...[...(way ? [`cd ${way}`] : []), ...commands(basename(folder), language)].map(
      (one) => `  ${one}`,
    ),
  ].join('\n')
}

function commands(name: string, language: Language): string[] {
  const { install, talk } = TEMPLATES[language]
  return [install, 'runyard dev', `runyard deploy --name ${name}`, talk(name)]
}
