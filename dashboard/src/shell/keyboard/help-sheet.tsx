import { MODE } from '../../api/mode.ts'
import { Dialog } from '../../design/dialog.tsx'
import { PLACES } from '../places.tsx'
import { SHORTCUTS } from './shortcuts.ts'

/** The keyboard shortcuts, opened with `?`. */
export function HelpSheet({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" isOpen onClose={onClose}>
      <div className="grid gap-x-8 gap-y-6 sm:grid-cols-2">
        <Keys title="Everywhere" rows={SHORTCUTS} />
        <Keys
          title="Go to"
          rows={PLACES[MODE].map(({ label, jump }) => ({ keys: ['g', jump], label }))}
        />
      </div>
    </Dialog>
  )
}

function Keys(props: {
  title: string
  rows: readonly { keys: readonly string[]; label: string }[]
}) {
  return (
    <section>
      <h3 className="mb-2 font-medium">{props.title}</h3>
      <dl className="space-y-1.5">
        {props.rows.map(({ keys, label }) => (
          <div key={label} className="flex items-center justify-between gap-4">
            <dt className="text-ink-soft">{label}</dt>
            <dd className="flex shrink-0 gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="rounded-sm border border-line bg-sunken px-1.5 text-xs leading-5"
                >
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
