import { memo } from 'react'
import { FileText } from '../../design/icon.gen.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { Markdown } from '../../design/text/markdown.tsx'
import type { Part } from './content-parts.ts'
import { sectionsOf } from './sections.ts'

/** One part of a message. `isPlain`: text of a user, which is not Markdown. `isGrowing`: more of it will come. */
export function PartView(props: { part: Part; isPlain?: boolean; isGrowing?: boolean }) {
  const { part, isPlain, isGrowing } = props
  switch (part.kind) {
    case 'text':
      if (isPlain) return <p className="whitespace-pre-wrap wrap-anywhere">{part.text}</p>
      return isGrowing ? <GrowingMarkdown text={part.text} /> : <Markdown text={part.text} />
    case 'reasoning':
      return <Reasoning text={part.text} />
    case 'image':
      return <Picture {...part} />
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: a message has none
      return <audio controls src={part.url} aria-label={part.name} className="max-w-full" />
    case 'file':
      return <FilePart {...part} />
    case 'other':
      return <JsonView value={part.value} openDepth={1} />
  }
}

function Reasoning({ text }: { text: string }) {
  return (
    <details className="border-l-2 border-line pl-3 text-sm text-ink-soft">
      <summary className="cursor-default font-medium hover:text-ink">Reasoning</summary>
      <div className="mt-1 whitespace-pre-wrap wrap-anywhere">{text}</div>
    </details>
  )
}

/** External images are linked: the page's policy does not load them. */
function Picture({ url, name }: { url: string; name: string }) {
  if (url.startsWith('data:image/') || url.startsWith('/'))
    return <img src={url} alt={name} className="max-h-80 max-w-full rounded-md" />
  return <Link url={url} name={name} />
}

function FilePart({ url, name, type }: Extract<Part, { kind: 'file' }>) {
  return (
    <p className="flex items-center gap-1.5 text-sm">
      <FileText size={14} aria-hidden="true" />
      {url ? <Link url={url} name={name} /> : name}
      {type && <span className="text-ink-faint">{type}</span>}
    </p>
  )
}

function Link({ url, name }: { url: string; name: string }) {
  const isData = url.startsWith('data:')
  // Only links that cannot run anything in this page: a web address, or a download.
  if (!isData && !/^https?:/.test(url)) return name
  return (
    <a
      href={url}
      {...(isData ? { download: name } : { target: '_blank', rel: 'noreferrer noopener' })}
      className="text-accent underline"
    >
      {name}
    </a>
  )
}

const Section = memo(Markdown)

/** Markdown that is still being written: finished sections are not parsed again with each word. */
function GrowingMarkdown({ text }: { text: string }) {
  return (
    <div>
      {sectionsOf(text).map((section, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: sections are only added
        <Section key={index} text={section} />
      ))}
    </div>
  )
}
