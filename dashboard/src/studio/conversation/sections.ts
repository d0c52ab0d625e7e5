/** A longer paragraph is cut: readers see no difference, and the browser has less to do. */
const LONGEST = 4_000

/** Cuts Markdown at empty lines, but not within a code block, whose end may still be missing. */
export function sectionsOf(text: string): string[] {
  const sections: string[] = []
  let lines: string[] = []
  let fence: string | undefined
  const close = () => {
    if (lines.length > 0) sections.push(...pieces(lines.join('\n')))
    lines = []
  }
  for (const line of text.split('\n')) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1]
    if (mark && fence === undefined) fence = mark
    else if (mark && fence !== undefined && mark.startsWith(fence)) fence = undefined
    if (line.trim() === '' && fence === undefined) close()
    else lines.push(line)
  }
  close()
  return sections
}

function pieces(section: string): string[] {
  if (section.length <= LONGEST || section.includes('\n')) return [section]
  const cut = section.lastIndexOf(' ', LONGEST)
  if (cut <= 0) return [section]
  return [section.slice(0, cut), ...pieces(section.slice(cut + 1))]
}
