/**
 * uv, the installer for Python: the machine's own, or this version from the package index, kept beside the builds for
 * all of them.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BuildError } from '../../core/deployment/builds/build.ts'
import { isOlder } from '../../core/package-version.ts'
import { isFile } from '../is-file.ts'
import { unfinishedFolder, uvsFolder } from '../layout.ts'
import { ask, type StepContext } from '../step.ts'

const VERSION = '0.13.9'
/** Of the package's files for each platform, from the index. */
const HASHES = [
  '16963d19594e18d746a70c7fce82237bde4f2cac4cfcf0ca2b84796fe9d0c6e9',
  '2c45530751517d6c3bbc69a19473f6effe47cce047bede01ffd8af7ea7b36b25',
  '3eeeb51a267a2144640fcd8f38d4a2f63439b39bc47445fd84727c3fc462c843',
  '5435c5ce14a56431208ca0996416d310f1598e8c2c8ba707688985a16bb82dbe',
  '56ec37616c00220032fc7b8c9d0ef51367fd0d70d9cd6ddd841660f949f84fed',
  '66c512266d633bef48384a1f53003f41f2a8e7b36fe6e7fbfd3e0fd52d96fa63',
  '6a44b2ed8111d2f60d2b92627c5dccda3f7ed7570b18ce115e569cd68c28246b',
  '6b0c7b9f47a5d011939d61e324d3fe18a8bc155d8dd53add738709a92f290a7c',
  '6d5114bba238adddacb32fb11904f2b3ff4e988f8e9ff0d8d3b5e9822cf836b8',
  '7ec1e1dd9b6cb335c301afdf877989df384227313981850755a59561f75e4ab8',
  'a2ee66fe8b6608e1482ab1bde5799da04705c1cb40324c7f66054ecf46ae6e40',
  'a6e845f387e4ed55bb59342957a9179e24a631fcc7668bda3426ae1cef8ed4b9',
  'c16ed11e013557536b3e60065f1b912f6407bd6518e041b961e23ef9e6b4fbf5',
  'c5dbdb7c8737cd183a9dce95b39cfd1f3d54ec2a27a1bb58f160293f9ba2c805',
  'd7f459fe4fd247d830351c75686d3996ace3c6f3f728eb0e85a30b7ada0cef19',
  'db5c8df7145c21ffea9c0f74e38823bac3af60cbadf0e26b8633f08627b17bab',
  'dd6f4f93ddf8a668c73f0945f3638444b2140a4e15a3912067493fc6335543e4',
  'ecb6028d79dc96fbeafffe5c8af62a7099487ebc05a701e76714eebcffd06375',
  'eeb92051c2123b9730c46b04cc843cfa4bc7d7b0aec56df431a2215ef4cb0273',
]

/** The oldest uv of the machine that has all options used here. */
const OLDEST = '0.9.0'
const LOOK_MS = 20_000
/** Any of these can fetch uv. */
const PYTHONS = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python']

const MISSING =
  'uv, which installs for Python, is not on this machine and could not be fetched: install uv, or a ' +
  'Python 3 with pip or venv (on Debian: python3-venv), for the user that Runyard runs as.'

export interface Uv {
  /** A path, or a name to look for on the PATH. */
  command: string
  version: string
}

/**
 * Finds uv, or fetches it once. `own`: the machine's. `confined` runs commands as the project's are run, which must be
 * able to run it too. Throws `BuildError('install')`.
 */
export async function findUv(
  { dir, own }: { dir: string; own: string },
  context: StepContext,
  confined: StepContext,
): Promise<Uv> {
  const version = await versionOf(own, confined)
  if (version !== undefined && !isOlder(version, OLDEST)) return { command: own, version }
  const brought = uvPath(uvsFolder(dir, VERSION))
  if (!(await isFile(brought))) await fetchUv(dir, context)
  return { command: brought, version: VERSION }
}

async function versionOf(command: string, context: StepContext): Promise<string | undefined> {
  const at = { cwd: '/', limitMs: LOOK_MS }
  const { code, stdout } = await ask([command, '--version'], at, context)
  return code === 0 ? /^uv (\d\S*)/.exec(stdout)?.[1] : undefined
}

function uvPath(folder: string): string {
  return join(folder, 'bin', 'uv')
}

async function fetchUv(dir: string, context: StepContext): Promise<void> {
  const at = join(unfinishedFolder(dir), randomUUID())
  await mkdir(at, { recursive: true, mode: 0o700 })
  try {
    const lock = join(at, 'requirements.txt')
    const hashes = HASHES.map((hash) => ` --hash=sha256:${hash}`)
    await writeFile(lock, `uv==${VERSION}${hashes.join('')}\n`)
    await install(lock, join(at, 'made'), context)
    const folder = uvsFolder(dir, VERSION)
    await mkdir(join(folder, '..'), { recursive: true, mode: 0o700 })
    // Another build may have been quicker, or have left an incomplete folder.
    await rename(join(at, 'made'), folder).catch(async () => {
      if (await isFile(uvPath(folder))) return
      await rm(folder, { recursive: true, force: true })
      await rename(join(at, 'made'), folder)
    })
  } finally {
    await rm(at, { recursive: true, force: true })
  }
}

/** Uses a virtual environment, or pip itself where there can be none (Debian without `python3-venv`). */
async function install(lock: string, folder: string, context: StepContext): Promise<void> {
  const options = ['install', '--no-deps', '--only-binary', ':all:', '--require-hashes']
  const quiet = ['--disable-pip-version-check', '--no-input', '--requirement', lock]
  const at = { cwd: '/', limitMs: context.limits.installMs }
  let why: string[] = []
  for (const python of PYTHONS) {
    const { code } = await ask([python, '-c', ''], { ...at, limitMs: LOOK_MS }, context)
    if (code !== 0) continue
    const made = await ask([python, '-m', 'venv', folder], at, context)
    const [command, ...where] =
      made.code === 0 ? [join(folder, 'bin', 'python')] : [python, '--target', folder]
    if (made.code !== 0) await rm(folder, { recursive: true, force: true })
    context.log.line(`$ pip install uv==${VERSION}`)
    const end = await ask([command, '-m', 'pip', ...options, ...quiet, ...where], at, context)
    if (end.code === 0 && (await isFile(uvPath(folder)))) return
    why = end.errors
    await rm(folder, { recursive: true, force: true })
  }
  for (const line of why.slice(-5)) context.log.line(line)
  throw new BuildError('install', MISSING, { logTail: why.slice(-5) })
}
