import { classes } from '../design/classes.ts'

/** The views of a part, of which one is shown. `className`: of each button. */
export function ViewButtons<View extends string>(props: {
  labels: Record<View, string>
  view: View
  onChange: (view: View) => void
  className: string
}) {
  return (Object.entries(props.labels) as [View, string][]).map(([view, label]) => (
    <button
      key={view}
      type="button"
      aria-pressed={view === props.view}
      onClick={() => props.onChange(view)}
      className={classes(
        '-mb-px border-b-2 border-transparent text-ink-soft hover:text-ink aria-pressed:border-accent aria-pressed:font-medium aria-pressed:text-ink',
        props.className,
      )}
    >
      {label}
    </button>
  ))
}
