/** Files of variables, by the rules of the language that the project is written in. */
import type { Language } from '../core/deployment/artifacts/artifact.ts'
import type { Environment } from '../settings/settings.ts'

/**
 * The variables of such a file: as python-dotenv reads it for Python, as `dotenv` does for JavaScript, since these are what the
 * official tools read it with. `environment`: what `${NAME}` may stand for besides variables of the file, in Python only.
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
