/** An error's stack, with the project's own frames distinguished from those of packages. */

export interface Frame {
  text: string
  /** The frame is in the project's own files. */
  isOwn: boolean
}

const OF_PACKAGES =
  /node_modules|node:|site-packages|lib\/python3|<frozen|\(<anonymous>\)|runyard_host/

/** Python prints each frame in two or three lines, the innermost last; JavaScript prints it first. */
export function framesOf(stack: string): Frame[] {
  const lines = stack.split('\n')
  if (lines.some((line) => /^\s+File "/.test(line))) return pythonFrames(lines).toReversed()
  return lines
    .filter((line) => /^\s+at /.test(line))
    .map((line) => ({ text: line.trim(), isOwn: !OF_PACKAGES.test(line) }))
}

function pythonFrames(lines: readonly string[]): Frame[] {
  const frames: Frame[] = []
  for (const line of lines) {
    const last = frames.at(-1)
    if (/^\s+File "/.test(line)) frames.push({ text: line.trim(), isOwn: !OF_PACKAGES.test(line) })
    else if (last && /^\s{4}/.test(line) && !/^\s*[~^]+$/.test(line))
      last.text += `\n  ${line.trim()}`
  }
  return frames
}
