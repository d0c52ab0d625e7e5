/**
 * The Dockerfile of a project's own image: Runyard's image, or `base_image` with Runyard's programs added, followed by
 * the project's `dockerfile_lines`.
 *
 * Developers write those lines, and the engine that runs them has everyone's images and networks. So only instructions
 * that reach neither are allowed. Each is written on one line, so that the engine cannot read it differently.
 */
import { BuildError } from '../core/deployment/builds/build.ts'

/** The allowed options of each instruction. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  RUN: [],
  ENV: [],
  ARG: [],
  WORKDIR: [],
  USER: [],
  SHELL: [],
  LABEL: [],
  EXPOSE: [],
  STOPSIGNAL: [],
  COPY: ['--chown', '--chmod', '--link'],
  ADD: ['--chown', '--chmod', '--link'],
}

/** Extra reasons for refusing an instruction. */
const BECAUSE: Readonly<Record<string, string>> = {
  FROM: 'name the image that it begins with as "base_image"',
  ENTRYPOINT: 'the image runs Runyard’s agent server',
  CMD: 'the image runs Runyard’s agent server',
  HEALTHCHECK: 'Runyard asks the agent server itself',
}

interface Instruction {
  name: string
  rest: string
}

/** Throws `BuildError('configuration')`, which says what to write instead. */
export function readLines(lines: readonly string[]): Instruction[] {
  return join(lines.join('\n')).map(readInstruction)
}

/** `base`: as the engine takes it. `preparation`: instructions that add Runyard to a base without it. */
export function writeDockerfile(
  base: string,
  preparation: readonly string[],
  lines: readonly Instruction[],
): string {
  return [
    `FROM ${base}`,
    'USER 0:0',
    ...preparation,
    ...lines.map(({ name, rest }) => `${name} ${rest}`),
    '',
  ].join('\n')
}

/** Joins continued lines; drops comments and empty lines, as engines do. */
function join(text: string): string[] {
  const whole: string[] = []
  let begun = ''
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (/^\s*(#|$)/.test(line)) continue
    const continued = /^(.*)\\[ \t]*$/.exec(line)
    begun += continued ? continued[1] : line
    if (continued) continue
    whole.push(begun.trim())
    begun = ''
  }
  if (begun.trim() !== '') whole.push(begun.trim())
  return whole
}

function readInstruction(line: string): Instruction {
  const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/.exec(line) ?? []
  const name = word.toUpperCase()
  const options = ALLOWED[name]
  if (!Object.hasOwn(ALLOWED, name) || !options) {
    throw refusal(line, BECAUSE[name] ?? `write one of ${Object.keys(ALLOWED).join(', ')}`)
  }
  // To the engine, a backslash at the end would join this line with the next instruction.
  if (rest.endsWith('\\')) throw refusal(line, 'it ends with a backslash')
  if (/<<[-~]?\s*["']?\w/.test(rest)) throw refusal(line, 'write it without "<<"')
  // Engines take some of them for blanks; this file takes none.
  if (/[^\P{Cc}\t]/u.test(rest)) throw refusal(line, 'write it without control characters')
  checkOptions(line, rest, options)
  // Engines undo quotes and backslashes before they look whether it is an address.
  if (name === 'ADD' && /:\/\/|[$"'\\]|git@/.test(rest)) {
    throw refusal(line, 'have RUN fetch what is elsewhere, and name files as they are called')
  }
  if (name === 'LABEL' && /runyard/i.test(rest))
    throw refusal(line, 'labels of Runyard are its own')
  return { name, rest }
}

/**
 * Checks the leading words, which an engine takes for options. Engines read bytes and take parts of other letters for
 * blanks (`à` ends with one), so options must be ASCII.
 */
function checkOptions(line: string, rest: string, allowed: readonly string[]): void {
  const front = /^(--[!-~]*([ \t]+|$))*/.exec(rest)?.[0] ?? ''
  if (rest.startsWith('--', front.length)) {
    throw refusal(line, 'write options in letters of ASCII, with blanks between them')
  }
  for (const option of front.split(/[ \t]+/).filter((one) => one !== '')) {
    if (!allowed.includes(option.split('=')[0] ?? '')) throw refusal(line, `leave out ${option}`)
    // An engine would read past a quoted or escaped blank.
    if (/["'\\]/.test(option)) throw refusal(line, 'write options without quotes and backslashes')
  }
}

function refusal(line: string, why: string): BuildError {
  const short = line.length > 80 ? `${line.slice(0, 80)}…` : line
  return new BuildError(
    'configuration',
    `langgraph.json: "dockerfile_lines": ${JSON.stringify(short)} is not possible: ${why}.`,
  )
}
