/** Markdown that is still being written: finished sections are not parsed again with each word. */
import { memo } from 'react'
import { Markdown } from '../../design/text/markdown.tsx'
import { sectionsOf } from './sections.ts'

const Section = memo(Markdown)

export function GrowingMarkdown({ text }: { text: string }) {
  return (
    <div>
      {sectionsOf(text).map((section, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: sections are only added
        <Section key={index} text={section} />
      ))}
    </div>
  )
}
