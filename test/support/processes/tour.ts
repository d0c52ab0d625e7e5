/** The commands of a text, run as a reader would: one after the other, in one shell. */
import { run } from './program.ts'

export interface TourStep {
  script: string
  /** Its output, with anything in place of `…`. */
  shows: RegExp
}

const END_OF_STEP = '--- end of step ---'
const BLOCK =
  /^```(?:(sh) tour|(js) tour|\w+ save (\S+))\n(.*?)^```(?:\n\n```text shows\n(.*?)^```)?/gms

/**
 * The blocks of a Markdown text that are marked `sh tour`, `js tour` (saved as `tour.mjs` and run) and `ts save FILE`
 * (or any other language: saved), each with the `text shows` that may follow it.
 */
export function tourSteps(text: string): TourStep[] {
  return [...text.matchAll(BLOCK)].map(([, sh, js, file, code = '', shows = '']) => {
    const save = `cat > ${file ?? 'tour.mjs'} <<'END'\n${code}END\n`
    return {
      script: sh ? code : js ? `${save}node tour.mjs` : save,
      shows: patternOf(shows),
    }
  })
}

/**
 * Runs them in a folder. Answers what each has printed, on standard error too. Throws with all of it when one fails, or
 * they are not over in time.
 */
export async function walk(
  steps: readonly TourStep[],
  options: { cwd: string; env?: NodeJS.ProcessEnv; timeoutMs: number },
): Promise<string[]> {
  const scripts = steps.map(({ script }) => script).join(`\necho '${END_OF_STEP}'\n`)
  const printed = await run('sh', ['-euc', `exec 2>&1\n${scripts}`], options).catch((error) => {
    throw new Error(`A step has failed:\n${error.stdout}`, { cause: error })
  })
  return printed.split(`${END_OF_STEP}\n`)
}

function patternOf(shows: string): RegExp {
  const escaped = shows.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(escaped.replaceAll('…', '[^]*?'))
}

/** The content of one file that a text has its readers save. */
export function savedFile(text: string, name: string): string {
  const found = [...text.matchAll(BLOCK)].find(([, , , file]) => file === name)
  if (!found) throw new Error(`The text has no file ${name}.`)
  return found[4] ?? ''
}
