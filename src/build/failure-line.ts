/** Finds the line of a failed command's output that says why: lists show it. */

/** In the order in which they are looked for; the first group is what is shown. */
const SAYING: readonly RegExp[] = [
  // pnpm, yarn
  /^\s*ERR_PNPM_\w+\s+(.+)/,
  /^➤ YN\d+: .*?│ (.+(?:not found|No candidates|refused).*)/,
  // npm: not the lines that only name a code, a folder, or the log
  /^npm (?:error|ERR!) (?:404 |notarget |ERESOLVE )?(?!code\b|path\b|command\b|errno\b|syscall\b|A complete log|404\s*$)\s*(\S.+)/,
  // uv and pip
  /^error: (.+)/,
  /^ERROR: (.+)/,
  // compilers: `src/a.ts(3,5): error TS2304: …`, `✘ [ERROR] …`
  /^(.+\berror TS\d+: .+)/,
  /^✘ \[ERROR\] (.+)/,
  // errors of JavaScript and Python
  /^(?:Uncaught )?(\w*(?:Error|Exception): .+)/,
  /^(.*\b(?:error|fatal|not found|no such|cannot)\b.*)/i,
]

/** uv draws a tree of reasons, or lists causes, and breaks long ones into lines. */
const UV_REASON = /^\s*(?:╰─▶|[×x]|cause:) (.+)/
const UV_CONTINUED = /^ {4,}\S|^ *│ +\S/

const MAX_LENGTH = 300

/** `lines`: the end of the output. `undefined`: no line says it. */
export function failureLine(lines: readonly string[]): string | undefined {
  const found = uvReason(lines) ?? firstMatch(lines)
  const text = found?.replaceAll(/\s+/g, ' ').trim()
  return text && text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text
}

/** The last branch of the tree is the cause. */
function uvReason(lines: readonly string[]): string | undefined {
  const at = lines.findLastIndex((line) => UV_REASON.test(line))
  const [, first] = UV_REASON.exec(lines[at] ?? '') ?? []
  if (first === undefined) return undefined
  const rest = lines.slice(at + 1)
  const end = rest.findIndex((line) => !UV_CONTINUED.test(line))
  return [first, ...rest.slice(0, end < 0 ? rest.length : end)].join(' ').replaceAll(/ │ +/g, ' ')
}

function firstMatch(lines: readonly string[]): string | undefined {
  for (const saying of SAYING) {
    for (const line of lines) {
      const [, text] = saying.exec(line) ?? []
      if (text) return text
    }
  }
  return undefined
}
