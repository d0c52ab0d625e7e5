/** Checks a project before it is sent, for problems that would surely fail the build. */
import { z } from 'zod'
import type { SentFile } from './folder.ts'

export const CONFIG = 'langgraph.json'

const Project = z.looseObject({
  graphs: z.record(z.string(), z.union([z.string(), z.looseObject({ path: z.string() })])),
})

export interface CheckedProject {
  /** The path of its `langgraph.json`. */
  configPath: string
  /** The names of its graphs. */
  graphs: string[]
  /** A problem that would fail the build, in a sentence that says what to do. */
  problem?: string
}

/** `isBuilt: false`: a build command still generates files. */
export async function checkProject(
  files: readonly SentFile[],
  { isBuilt }: { isBuilt: boolean },
): Promise<CheckedProject> {
  const config = configOf(files)
  if (!config) return failed(CONFIG, `There is no ${CONFIG} in it: drop the folder that has one.`)
  const { path } = config
  const parsed = Project.safeParse(await readJson(config.file))
  if (!parsed.success) {
    return failed(
      path,
      `${path} is no JSON with "graphs": write {"graphs": {"agent": "./src/agent.ts:graph"}}.`,
    )
  }
  const graphs = Object.entries(parsed.data.graphs)
  if (graphs.length === 0) return failed(path, `${path} names no graph: "graphs" is empty.`)
  const folder = path.slice(0, -CONFIG.length)
  const missing = isBuilt && graphs.find(([, spec]) => isMissing(files, folder, spec))
  const names = graphs.map(([name]) => name)
  if (!missing) return { configPath: path, graphs: names }
  const file = fileOf(missing[1])
  const problem = `The graph “${missing[0]}” is in ${file}, which is not sent: it is not there, or .gitignore or .dockerignore names it. Let the build make it (a build command), or take it out of there.`
  return { configPath: path, graphs: names, problem }
}

/** The `langgraph.json` nearest to the root. */
function configOf(files: readonly SentFile[]): SentFile | undefined {
  const found = files.filter(({ path }) => path === CONFIG || path.endsWith(`/${CONFIG}`))
  return found.toSorted((a, b) => a.path.split('/').length - b.path.split('/').length)[0]
}

function failed(configPath: string, problem: string): CheckedProject {
  return { configPath, graphs: [], problem }
}

async function readJson(file: File): Promise<unknown> {
  try {
    return JSON.parse(await file.text())
  } catch {
    return undefined
  }
}

type Spec = z.infer<typeof Project>['graphs'][string]

/** A Python module referenced by name has no file to check. */
function isMissing(files: readonly SentFile[], folder: string, spec: Spec): boolean {
  const file = fileOf(spec)
  if (!file.includes('/') && !/\.(py|[cm]?[jt]sx?)$/.test(file)) return false
  const path = new URL(file, `file:///${folder}`).pathname.slice(1)
  return !files.some((one) => one.path === decodeURIComponent(path))
}

function fileOf(spec: Spec): string {
  const path = typeof spec === 'string' ? spec : spec.path
  return path.replace(/:[^:/]*$/, '')
}
