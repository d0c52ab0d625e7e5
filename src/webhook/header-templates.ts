/** The headers that a project adds to its webhooks, with values from the environment. */
import { AppError } from '../core/errors.ts'

/** Headers that the sender or HTTP itself sets. */
const RESERVED =
  /^(host|content-(type|length)|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|webhook-.*)$/i
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/
const TEMPLATE = /\$\{\{\s*(.*?)\s*\}\}/g

/**
 * Replaces each `${{ env.NAME }}` in the headers. Only variables that begin with the prefix may be used, so that a
 * header cannot reveal another secret of the server. Throws `bad_request` with the header's name, never its value.
 */
export function fillHeaders(
  headers: Readonly<Record<string, string>>,
  { prefix, env }: { prefix: string; env: Readonly<Record<string, string | undefined>> },
): Record<string, string> {
  const filled = Object.entries(headers).map(([name, template]): [string, string] => {
    if (!NAME.test(name)) throw problem(name, 'is not the name of a header')
    if (RESERVED.test(name)) throw problem(name, 'is set by Runyard; choose another name')
    const value = template.replace(TEMPLATE, (_, expression: string) =>
      variable(expression, { header: name, prefix, env }),
    )
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw problem(name, 'has a value with a character that headers cannot carry')
    }
    return [name.toLowerCase(), value]
  })
  return Object.fromEntries(filled)
}

function variable(
  expression: string,
  from: { header: string; prefix: string; env: Readonly<Record<string, string | undefined>> },
): string {
  const { header, prefix, env } = from
  const name = /^env\.(\w+)$/.exec(expression)?.[1]
  if (!name) throw problem(header, `has a template that is not of the form \${{ env.NAME }}`)
  if (!name.startsWith(prefix)) {
    throw problem(header, `names ${name}; only variables that begin with ${prefix} may be used`)
  }
  const value = env[name]
  if (value === undefined) throw problem(header, `needs the variable ${name}, which is not set`)
  return value
}

function problem(name: string, what: string): AppError {
  return new AppError('bad_request', `webhooks.headers: "${name}" ${what}.`)
}
