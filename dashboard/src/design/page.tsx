/** The parts of every page. */
import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { classes } from './classes.ts'

/** A page about one subject: title, facts and actions first. `title` also names the browser's tab. */
export function Page(props: {
  title: string
  /** Beside the title, for a status. */
  badge?: ReactNode
  /** Below the title, in one line. */
  facts?: ReactNode
  /** Top right. */
  actions?: ReactNode
  /** `full`: without a limit of width and without padding, for the Studio. */
  width?: 'normal' | 'full'
  children: ReactNode
}) {
  useTitle(props.title)
  return (
    <div
      className={classes('mx-auto w-full', props.width !== 'full' && 'max-w-7xl px-4 py-5 sm:px-6')}
    >
      <header className="mb-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1 className="flex flex-wrap items-center gap-2.5 text-xl font-semibold wrap-anywhere">
            {props.title}
            {props.badge}
          </h1>
          {props.facts && (
            <div className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-1 text-ink-soft">
              {props.facts}
            </div>
          )}
        </div>
        {props.actions && <div className="flex flex-wrap items-center gap-2">{props.actions}</div>}
      </header>
      {props.children}
    </div>
  )
}

/** Names the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Runyard`
  }, [title])
}

/** A part of a page with a heading of its own. */
export function Section(props: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="mb-8">
      <header className="mb-2.5 flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-lg font-semibold">{props.title}</h2>
        {props.actions && <div className="flex items-center gap-2">{props.actions}</div>}
      </header>
      {props.children}
    </section>
  )
}

/** A bordered box for one thing. */
export function Card({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <div className={classes('rounded-lg border border-line bg-surface p-4', className)}>
      {children}
    </div>
  )
}

/** Names and values of one subject. */
export function Facts({
  facts,
}: {
  facts: readonly (readonly [name: string, value: ReactNode])[]
}) {
  return (
    <dl className="grid grid-cols-[max-content_1fr] items-baseline gap-x-6 gap-y-1.5">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-soft">{name}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Tabs for the views of one subject. They are links: each view has its own address. */
export function NavTabs({
  tabs,
}: {
  tabs: readonly { to: string; label: string; isExact?: boolean }[]
}) {
  const { pathname } = useLocation()
  const nav = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new address has another active tab
  useEffect(() => {
    const { current } = nav
    if (!current) return
    // The observer fires once at the start, and whenever the window changes its size.
    const sizes = new ResizeObserver(() => showMarked(current))
    sizes.observe(current)
    return () => sizes.disconnect()
  }, [pathname])
  return (
    <nav
      ref={nav}
      className="mb-5 flex gap-1 overflow-x-auto border-b border-line"
      aria-label="Views"
    >
      {tabs.map(({ to, label, isExact }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: isExact ?? false, includeSearch: false }}
          className="-mb-px border-b-2 border-transparent px-3 py-2 whitespace-nowrap text-ink-soft hover:text-ink data-[status=active]:border-accent data-[status=active]:font-medium data-[status=active]:text-ink"
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}

/** Scrolls to the active tab, which a narrow window may hide. */
function showMarked(nav: HTMLElement): void {
  const marked = nav.querySelector('[data-status=active]')?.getBoundingClientRect()
  if (!marked) return
  const { left, right } = nav.getBoundingClientRect()
  if (marked.right > right) nav.scrollLeft += marked.right - right
  else if (marked.left < left) nav.scrollLeft -= left - marked.left
}

/** A link within text. */
export function TextLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link
      to={to}
      className="text-accent underline decoration-accent/40 underline-offset-3 hover:decoration-accent"
    >
      {children}
    </Link>
  )
}
