import { CopyButton } from './copy-button.tsx'

/** Text to copy: a command, a program, a log. */
export function CodeBlock({ text, label = 'Code' }: { text: string; label?: string }) {
  return (
    <div className="relative rounded-md border border-line bg-sunken">
      <div className="absolute top-1 right-1 rounded-md bg-sunken">
        <CopyButton text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label} className="overflow-x-auto p-3 pr-10">
        <pre>{text}</pre>
      </section>
    </div>
  )
}
