import { CopyButton } from './copy-button.tsx'

/** Text to copy: a command, a program, a log. */
export function CodeBlock({ text, label = 'Code' }: { text: string; label?: string }) {
  return (
    <div className="flex items-start rounded-md border border-line bg-sunken">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label} className="min-w-0 flex-1 overflow-x-auto p-3">
        <pre>{text}</pre>
      </section>
      <div className="shrink-0 p-1">
        <CopyButton text={text} />
      </div>
    </div>
  )
}
