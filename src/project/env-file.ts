/** Files of variables, by the rules of the language that the project is written in. */
import type { Language } from '../core/deployment/artifacts/artifact.ts'
import type { Environment } from '../settings/values.ts'

/**
 * The variables of such a file, read as python-dotenv does for Python and `dotenv` for JavaScript, like the official
 * tools. `environment`: values for `${NAME}` besides variables of the file, in Python only.
 */
export async function parseEnvFile(
  text: string,
  language: Language,
  environment: Environment,
): Promise<Record<string, string>> {
  if (language === 'python') {
    const { parsePythonEnv } = await import('./python-env.ts')
    return parsePythonEnv(text, environment)
  }
  const { default: dotenv } = await import('dotenv')
  return dotenv.parse(text)
}
