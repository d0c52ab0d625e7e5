/** Why an agent server does not start, for the author of its project. */
import { realpathSync } from 'node:fs'
import { dirname, sep } from 'node:path'

/** How many frames of a stack are shown at most. */
const MAX_FRAMES = 10

/**
 * The error's sentence, then its places in the project, one a line: the frames in the stacks of the error and its
 * causes that are in the project and in no package. Paths are relative to the folder of `langgraph.json`.
 */
export function describeStartFailure(error: unknown, configPath: string): string {
  const roots = rootsOf(configPath)
  const message = error instanceof Error ? error.message : String(error)
  const frames = causesOf(error).flatMap((cause) => framesOf(cause, roots))
  return [shorten(message, roots), ...new Set(frames.slice(0, MAX_FRAMES))].join('\n')
}

/** Stack traces name a file by its real path, or by the path that was asked for. */
function rootsOf(configPath: string): string[] {
  const folder = dirname(configPath)
  try {
    return [...new Set([realpathSync(folder), folder])].map((root) => root + sep)
  } catch {
    return [folder + sep]
  }
}

/** The error and its causes, which may be circular. */
function causesOf(error: unknown, before: Error[] = []): Error[] {
  if (!(error instanceof Error) || before.includes(error)) return before
  return causesOf(error.cause, [...before, error])
}

function framesOf({ stack = '' }: Error, roots: string[]): string[] {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !line.includes(`${sep}node_modules${sep}`))
    .map((line) => [line, shorten(line, roots)] as const)
    .filter(([line, shortened]) => shortened !== line)
    .map(([, shortened]) => `    ${shortened.trim()}`)
}

function shorten(text: string, roots: string[]): string {
  return roots.reduce(
    (rest, root) => rest.replaceAll(`file://${root}`, '').replaceAll(root, ''),
    text,
  )
}
