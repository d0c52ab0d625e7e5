/** Checks the project's own modules of Python before they are loaded: they are parsed, and none of their code runs. */
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { BuildError } from '../../core/deployment/builds/build.ts'
import { environmentPython } from '../layout.ts'
import { ask, type StepContext } from '../step.ts'
import { ENVIRONMENT } from './install.ts'

/**
 * Follows the imports of these files within the source. Only those are looked up that always run (no `try`, no `if`),
 * that are relative or of a package of the project, and that have no file. Prints a line for each problem.
 */
const CHECK = `
import ast, pathlib, sys
top, *files = [pathlib.Path(one) for one in sys.argv[1:]]
seen = set()

def problem(file, line, column, text):
    print(f"{file.relative_to(top).as_posix()}:{line}:{column}: {text}")

def found(path):
    # Compiled modules have any suffix.
    return path.is_dir() or any(path.parent.glob(path.name + ".*"))

def follow(file):
    if file in seen or not file.is_file() or top not in file.parents or ".venv" in file.parts:
        return
    seen.add(file)
    try:
        tree = ast.parse(file.read_bytes(), str(file))
    except SyntaxError as error:
        return problem(file, error.lineno or 1, error.offset or 1, f"{type(error).__name__}: {error.msg}")
    except ValueError as error:
        return problem(file, 1, 1, f"ValueError: {error}")
    root = file.parent
    while (root / "__init__.py").is_file() and root != top:
        root = root.parent
    for node in tree.body:
        if isinstance(node, ast.Import):
            for one in node.names:
                resolve(file, node, root, one.name.split("."), "")
        elif isinstance(node, ast.ImportFrom):
            names = node.module.split(".") if node.module else []
            start = root
            if node.level:
                start = file.parent
                for _ in range(node.level - 1):
                    start = start.parent
            place = resolve(file, node, start, names, "." * node.level)
            for one in node.names if place else []:
                enter(place / one.name)

def enter(path):
    follow(path.with_name(path.name + ".py"))
    follow(path / "__init__.py")

def resolve(file, node, start, names, dots):
    path = start
    for index, name in enumerate(names):
        # A package may look for its modules elsewhere, and a folder without __init__.py may have other parts.
        package = path / "__init__.py"
        is_own = package.is_file() and b"__path__" not in package.read_bytes()
        path = path / name
        if not found(path):
            if (dots and index == 0) or (index and is_own):
                name = dots + ".".join(names[: index + 1])
                problem(file, node.lineno, node.col_offset + 1, f"ModuleNotFoundError: there is no module {name}")
            return None
        enter(path)
    return path

for one in files:
    follow(one)`

/** `files`: absolute. Throws `BuildError('build')` with the file, the line and the column. */
export async function checkOwnModules(
  source: string,
  files: readonly string[],
  context: StepContext,
): Promise<void> {
  if (files.length === 0) return
  const top = await realpath(source)
  const python = environmentPython(join(top, ENVIRONMENT))
  const at = { cwd: top, limitMs: context.limits.bundleMs }
  const command = [python, '-I', '-S', '-c', CHECK, top, ...files] as const
  const { code, stdout, errors } = await ask(command, at, context)
  if (code !== 0) context.log.line(`Warning: the modules are not checked: ${errors.at(-1)}`)
  if (stdout === '') return
  const problems = stdout.split('\n')
  for (const line of problems) context.log.line(line)
  throw new BuildError('build', problems[0] ?? '', { logTail: problems.slice(1) })
}
